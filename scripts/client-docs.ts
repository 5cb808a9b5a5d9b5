/** The table of clients in docs/clients/README.md: what was tried on real agents, and when. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type ClientResult, whyNot } from '../test/real/client-results.ts'
import { markdownTable } from './markdown-table.ts'

const HEADING = '## What was tried\n'

const FEATURES = {
  chat: 'chat',
  stream: 'stream',
  structured: 'structured output',
  tool: 'one call',
  parallel: 'three at once',
  row: 'three in a row',
  forced: 'forced call',
  image: 'image',
  error: 'error',
  handoff: 'handoff',
  coding: 'coding turn',
  standard: 'standard tests',
}

/** The page with a new table. */
export function clientDocs(root: string, results: readonly ClientResult[]): string {
  const page = readFileSync(join(root, 'docs/clients/README.md'), 'utf8')
  const start = page.indexOf(HEADING) + HEADING.length
  const end = page.indexOf('\n## ', start)
  return `${page.slice(0, start)}\n${describeResults(results)}\n${page.slice(end)}`
}

/** A cell names the agents on which a feature works. A feature that a client does not have has an empty cell. */
export function describeResults(results: readonly ClientResult[]): string {
  const names = [...new Set(results.map(({ agent }) => agent))].sort()
  const versionsOf = (name: string) => {
    const versions = results.filter(({ agent }) => agent === name).map((each) => each.agent_version)
    return [...new Set(versions)].sort().join(' or ')
  }
  const notes: string[] = []
  const numberOf = (note: string) => {
    if (!notes.includes(note)) notes.push(note)
    return `[${notes.indexOf(note) + 1}]`
  }
  const cell = (client: string, feature: string) => {
    const own = results.filter((each) => each.client === client && each.feature === feature)
    if (own.length === 0) return ''
    const on = (outcome: ClientResult['outcome']) =>
      own.filter((each) => each.outcome === outcome).map(({ agent }) => agent)
    const works = on('works')
    const marks = new Set([
      ...on('cannot').map((agent) => numberOf(`${whyNot({ client, agent, feature })}`)),
      ...on('fails').map((agent) => numberOf(`It fails on ${agent}.`)),
      ...names
        .filter((name) => own.every(({ agent }) => agent !== name))
        .map((name) => numberOf(`Not run on ${name}.`)),
    ])
    const working = works.length === names.length ? 'all' : works.length === 0 ? 'none' : works.join(', ')
    return [working, ...marks].join(' ')
  }
  const clients = [...new Map(results.map(({ client, version }) => [client, version]))]
  const used = Object.entries(FEATURES).filter(([feature]) => results.some((each) => each.feature === feature))
  const rows = clients.map(([client, version]) => {
    const dates = results.filter((each) => each.client === client).map(({ date }) => date)
    return [client, version, ...used.map(([feature]) => cell(client, feature)), dates.sort().at(0) ?? '']
  })
  const table = markdownTable(['Client', 'Version', ...used.map(([, title]) => title), 'Date'], rows)
  const list = names.map((name) => `${name} ${versionsOf(name)}`).join(', ')
  const footnotes = notes.map((note, at) => `${at + 1}. ${note}`).join('\n')
  return `\`npm run test:real\` tries these clients on real agents: ${list}. The model is scripted. \`all\` are all of these agents. An empty cell is a feature that
was not asked of the client. A coding turn is one with the tools of the client, on an agent [without its own](#agents-without-their-own-tools).
In the standard tests of LangChain, an agent that takes no schema gives structured output by a call of a function, and JSON mode is skipped.

${table}
${footnotes === '' ? '' : `\n${footnotes}`}`.trimEnd()
}
