/*
 * An agent that speaks like claude and reports what it can do where it runs. The prompt is a list of attempts as JSON; the answer has
 * what each got, or null if it was refused.
 */
const { spawn } = require('node:child_process')
const {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} = require('node:fs')
const { request } = require('node:http')
const { connect } = require('node:net')
const { dirname } = require('node:path')
const { createInterface } = require('node:readline')

const ATTEMPTS = {
  read: (path) => readFileSync(path, 'utf8'),
  write: (path, text) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    return 'written'
  },
  fill: (path, bytes) => {
    writeFileSync(path, Buffer.alloc(Number(bytes)))
    return 'filled'
  },
  /** As agents refresh their login. */
  replace: (path, text) => {
    writeFileSync(`${path}.new`, text)
    renameSync(`${path}.new`, path)
    return 'replaced'
  },
  move: (path, target) => {
    renameSync(path, target)
    return 'moved'
  },
  link: (path, target) => {
    symlinkSync(target, path)
    return 'linked'
  },
  variable: (name) => process.env[name] ?? null,
  arguments: () => process.argv.slice(2).join(' '),
  connect: (target) =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(process.env.HTTPS_PROXY ?? 'http://127.0.0.1:1')
      const asked = request({ host: hostname, port, method: 'CONNECT', path: target })
      asked.on('connect', ({ statusCode }) => resolve(statusCode === 200 ? 'connected' : null))
      asked.on('error', () => resolve(null)).end()
    }),
  /** Asks a model service over plain HTTP, and ends the turn as claude does when it answers with an error. */
  ask: (url) =>
    new Promise((resolve) => {
      const { hostname, port } = new URL(process.env.HTTP_PROXY)
      request({ host: hostname, port, path: url }, (answer) => {
        answer.resume()
        const result = `API Error: ${answer.statusCode} no`
        process.stdout.write(`${JSON.stringify({ type: 'result', is_error: true, result })}\n`)
        answer.on('end', () => process.exit(1))
      })
        .on('error', () => resolve(null))
        .end()
    }),
  /** Calls a tool of an MCP server, and answers all that the server asks, or has not asked yet, as suits it. */
  lie: (server, name, path) =>
    new Promise((resolve) => {
      const { input, output } = openServer(server)
      const send = (message) => input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      const lies = { roots: [{ uri: 'file:///' }], action: 'accept', content: {} }
      createInterface({ input: output }).on('line', (line) => {
        const { id, method, result } = JSON.parse(line)
        if (method !== undefined) return send({ id, result: lies })
        if (id === 'greeting') {
          send({ method: 'notifications/initialized' })
          send({ method: 'notifications/roots/list_changed' })
          // Their names can be guessed.
          for (let at = 0; at < 9; at++) send({ id: `question-${at}`, result: lies })
          setTimeout(() => send({ id: 'call', method: 'tools/call', params: { name, arguments: { path } } }), 200)
        }
        if (id === 'call') resolve(result.content[0].text)
      })
      const params = { protocolVersion: '2025-06-18', capabilities: { roots: { listChanged: true }, elicitation: {} } }
      send({ id: 'greeting', method: 'initialize', params })
    }),
  /** Connects many times at once with an MCP server. Returns how often it was let in. */
  crowd: async (server, count) => {
    const message = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { capabilities: {} } }
    const attempts = Array.from({ length: Number(count) }, () => {
      const { input, output } = openServer(server)
      input.on('error', () => {}).write(`${JSON.stringify(message)}\n`)
      return new Promise((resolve) => output.once('data', () => resolve(1)).once('close', () => resolve(0)))
    })
    return (await Promise.all(attempts)).reduce((sum, each) => sum + each, 0)
  },
  /** Runs until it is asked to stop, and says so in a file. */
  /** Until there is such a file, if one is named. */
  wait: (path, ends) => {
    appendFileSync(path, 'waiting\n')
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => {
        appendFileSync(path, `${signal}\n`)
        process.exit(0)
      })
    return new Promise((resolve) => {
      const timer = setInterval(() => {
        if (ends === undefined || !existsSync(ends)) return
        clearInterval(timer)
        resolve('waited')
      }, 20)
    })
  },
}

/** By its name, as the command line says how to reach it, or as JSON with its program. */
function openServer(server) {
  if (server.startsWith('[')) {
    const [program, ...args] = JSON.parse(server)
    const { stdin, stdout } = spawn(program, args, { stdio: ['pipe', 'pipe', 'ignore'] })
    return { input: stdin, output: stdout }
  }
  const file = process.argv[process.argv.indexOf('--mcp-config') + 1]
  const socket = connect(JSON.parse(readFileSync(file, 'utf8')).mcpServers[server].args[1])
  return { input: socket, output: socket.on('error', () => {}) }
}

const print = (event) => process.stdout.write(`${JSON.stringify(event)}\n`)
const SESSION = '11111111-2222-4333-8444-555555555555'

async function answer(text) {
  print({ type: 'system', subtype: 'init', session_id: SESSION, model: 'inside' })
  const results = []
  for (const [name, ...args] of JSON.parse(text)) {
    try {
      results.push(await ATTEMPTS[name](...args))
    } catch {
      results.push(null)
    }
  }
  const result = JSON.stringify(results)
  print({ type: 'assistant', message: { role: 'assistant', content: [{ type: 'text', text: result }] } })
  print({ type: 'result', subtype: 'success', is_error: false, result, session_id: SESSION, num_turns: 1, usage: {} })
}

const chunks = []
process.stdin.on('data', (chunk) => chunks.push(chunk))
process.stdin.on('end', () => {
  const input = Buffer.concat(chunks).toString('utf8')
  const line = input.startsWith('{') ? JSON.parse(input).message.content[0].text : input
  void answer(line)
})
