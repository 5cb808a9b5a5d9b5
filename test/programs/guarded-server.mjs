/*
 * An MCP server that guards a directory, as servers for files do: `read` reads files in the directory of its argument, or in those that
 * its client names as roots, and `remove` asks a person first. Each process notes its start in a file.
 */
import { appendFileSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline'

const [directory, starts] = process.argv.slice(2)
let allowed = [directory]
const asked = new Map()
const send = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
const answer = (id, text) => send({ id, result: { content: [{ type: 'text', text }] } })
const ask = (method, onResult) => {
  const id = `question-${asked.size}`
  asked.set(id, onResult)
  send({ id, method, params: {} })
}
const askForRoots = () =>
  ask('roots/list', ({ roots = [] } = {}) => {
    if (roots.length > 0) allowed = roots.map(({ uri }) => uri.slice('file://'.length))
  })
const tools = {
  read: (id, { path }) =>
    answer(id, allowed.some((each) => path.startsWith(each)) ? readFileSync(path, 'utf8') : 'refused'),
  remove: (id) =>
    ask('elicitation/create', (result) => answer(id, result?.action === 'accept' ? 'removed' : 'refused')),
}

appendFileSync(starts, `${process.pid}\n`)
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { id, method, params, result } = JSON.parse(line)
    if (method === 'initialize') {
      send({
        id,
        result: {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'guarded', version: '1' },
        },
      })
      if (params.capabilities.roots !== undefined) askForRoots()
    }
    if (method === 'notifications/roots/list_changed') askForRoots()
    if (method === 'tools/call') tools[params.name](id, params.arguments)
    if (method === undefined) asked.get(id)?.(result)
  })
  .on('close', () => process.exit(0))
