/*
 * The first program inside of a sandbox, which has no network. It connects local ports with the socket of drover's proxy
 * outside, runs the command, and exits as the command does. Arguments: the socket, ports, a variable or nothing, the command. The first port is that
 * of the proxy; a connection to another one becomes a tunnel to the same port of the host.
 */
const { spawn } = require('node:child_process')
const { constants } = require('node:os')
const net = require('node:net')

const [socket, list, variable, program, ...args] = process.argv.slice(2)
// Without ports, the proxy itself is on one, and `socket` is its number.
const [proxyPort, ...ports] = list === '' ? [] : list.split(',').map(Number)

function join(inner, outer) {
  const close = () => {
    inner.destroy()
    outer.destroy()
  }
  for (const each of [inner, outer]) each.on('error', close).on('close', close)
  inner.pipe(outer).pipe(inner)
}

function forward(inner) {
  join(inner, net.connect({ path: socket, allowHalfOpen: true }))
}

function tunnel(port, inner) {
  const outer = net.connect({ path: socket, allowHalfOpen: true })
  const give = () => inner.destroy()
  outer.on('error', give).on('close', give)
  inner.on('error', () => outer.destroy())
  outer.write(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\n\r\n`)
  let head = ''
  outer.on('readable', function read() {
    for (let chunk = outer.read(1); chunk !== null; chunk = outer.read(1)) {
      head += chunk.toString('latin1')
      if (!head.endsWith('\r\n\r\n')) continue
      outer.off('readable', read)
      if (/^HTTP\/1\.1 200 /.test(head)) join(inner, outer)
      else outer.destroy()
      return
    }
  })
}

function listen(port, accept) {
  return new Promise((resolve, reject) => {
    net.createServer({ allowHalfOpen: true }, accept).on('error', reject).listen(port, '127.0.0.1', resolve)
  })
}

/** Tells drover that the command starts. If the proxy does not answer, it does not. Drover sends signals on the same connection. */
function report() {
  return new Promise((resolve, reject) => {
    const outer = net.connect(socket).on('error', reject)
    outer.on('data', (chunk) => {
      resolve()
      for (const [name] of chunk.toString('latin1').matchAll(/SIGINT|SIGTERM/g)) process.emit(`drover:${name}`)
    })
    outer.on('close', () => reject(new Error('no answer')))
    outer.write('GET /started HTTP/1.1\r\nHost: drover\r\nConnection: close\r\n\r\n')
  })
}

/** Everything inside but the caller and the first process of the namespace. */
function signalAll() {
  try {
    process.kill(-1, 'SIGTERM')
  } catch {
    // Nothing is left.
  }
}

function run() {
  const [name, value] = variable.split('=')
  const env = { ...process.env, ...(name && { [name]: value }) }
  const child = spawn(program, args, { stdio: 'inherit', env })
  // SIGTERM reaches every process inside. SIGINT is for the command, which then ends its own tools.
  process.on('SIGTERM', () => {})
  process.on('SIGINT', () => child.kill('SIGINT'))
  process.on('drover:SIGINT', () => child.kill('SIGINT'))
  process.on('drover:SIGTERM', signalAll)
  child.on('error', (error) => {
    process.stderr.write(`drover: ${program} cannot be started in the sandbox: ${error.code}\n`)
    process.exit(error.code === 'ENOENT' ? 127 : 126)
  })
  child.on('exit', (code, signal) => process.exit(signal === null ? code : 128 + constants.signals[signal]))
}

Promise.all([
  report(),
  proxyPort && listen(proxyPort, forward),
  ...ports.map((port) => listen(port, (inner) => tunnel(port, inner))),
]).then(run, (error) => {
  process.stderr.write(`drover: the sandbox has no proxy: ${error.message}\n`)
  process.exit(125)
})
