/*
 * An agent that speaks like claude and reports what it can do where it runs. The prompt is a list of attempts as JSON; the answer has
 * what each got, or null if it was refused.
 */
const { appendFileSync, mkdirSync, readFileSync, renameSync, symlinkSync, writeFileSync } = require('node:fs')
const { request } = require('node:http')
const { dirname } = require('node:path')

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
  /** Runs until it is asked to stop, and says so in a file. */
  wait: (path) => {
    appendFileSync(path, 'waiting\n')
    for (const signal of ['SIGINT', 'SIGTERM'])
      process.once(signal, () => {
        appendFileSync(path, `${signal}\n`)
        process.exit(0)
      })
    return new Promise(() => setInterval(() => {}, 1000))
  },
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
