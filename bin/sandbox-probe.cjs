/*
 * Runs in a sandbox and tries to leave it. Its argument is JSON that names the canaries. Prints JSON: for each attempt `null` if
 * it was refused, else what it got.
 */
const { spawn, spawnSync } = require('node:child_process')
const { closeSync, openSync, readdirSync, readFileSync, statSync, writeFileSync } = require('node:fs')
const net = require('node:net')

const canaries = JSON.parse(process.argv[2])

const attempt = (act) => {
  try {
    return act() ?? 'it worked'
  } catch {
    return null
  }
}

const reach = (target, request = '') =>
  new Promise((resolve) => {
    const socket = net.connect(target, () => (request === '' ? done('it connected') : socket.write(request)))
    const done = (result) => {
      socket.destroy()
      resolve(result)
    }
    socket.on('data', (bytes) => done(bytes.toString('latin1').split('\r\n', 1)[0])).on('error', () => done(null))
  })

const proxy = { host: '127.0.0.1', port: Number(new URL(process.env.HTTPS_PROXY).port) }
const throughProxy = async (target) => {
  const answer = await reach(proxy, `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  return answer?.startsWith('HTTP/1.1 200 ') ? answer : null
}

/** EPERM, EAFNOSUPPORT and ENOSYS are refusals. */
const REFUSED = [1, 97, 38]
const call = (program) => {
  const { status, error } = spawnSync(program)
  if (REFUSED.includes(status)) return null
  return error === undefined ? `exit code ${status}` : String(error.code)
}

const write = (path) => writeFileSync(path, 'canary')

const fill = (path, bytes) => {
  const descriptor = openSync(path, 'w')
  spawnSync('head', ['-c', String(bytes), '/dev/zero'], { stdio: ['ignore', descriptor, 'ignore'] })
  closeSync(descriptor)
  return statSync(path).size < bytes ? null : `a file of ${bytes} bytes`
}

const writeMany = (directory, { diskBytes, fileBytes }) => {
  for (let at = 0; at * fileBytes <= diskBytes; at++) writeFileSync(`${directory}/many-${at}`, Buffer.alloc(fileBytes))
}

const startMany = async (count) => {
  const children = Array.from({ length: count }, () =>
    spawn('sleep', ['60'], { stdio: 'ignore' }).on('error', () => {}),
  )
  const started = children.filter(({ pid }) => pid !== undefined)
  for (const child of started) child.kill('SIGKILL')
  return started.length < count ? null : `${count} processes`
}

const findProcess = (mark) =>
  readdirSync('/proc').find(
    (name) => /^\d+$/.test(name) && attempt(() => readFileSync(`/proc/${name}/environ`, 'latin1'))?.includes(mark),
  ) ?? null

const main = async () => {
  const { homeFile, keyFile, outside, work, host, socket, abstractSocket, listed, unlisted, mark, calls, limits } =
    canaries
  const results = {
    homeFile: attempt(() => readFileSync(homeFile, 'utf8')),
    keyFile: attempt(() => readFileSync(keyFile, 'utf8')),
    outside: attempt(() => write(outside)),
    system: attempt(() => write('/usr/drover-canary')),
    host: await reach(host),
    socket: await reach({ path: socket }),
    abstractSocket: await reach({ path: `\0${abstractSocket}` }),
    unlisted: await throughProxy(unlisted),
    processes: findProcess(mark),
    ...Object.fromEntries(Object.entries(calls).map(([name, program]) => [name, call(program)])),
    fileLimit: fill(`${work}/large`, limits.fileBytes + 1),
    // Whether that was noticed, drover knows.
    disk: attempt(() => writeMany(work, limits)),
    memoryLimit: attempt(() => void Buffer.alloc(limits.memoryBytes)),
    // What must work: a boundary that refuses everything proves nothing.
    work: attempt(() => write(`${work}/file`)),
    listed: await throughProxy(listed),
  }
  // It leaves the session, and outlives this program unless it is stopped.
  spawn('sleep', ['300'], { stdio: 'ignore', detached: true }).unref()
  results.processLimit = await startMany(limits.processes)
  process.stdout.write(JSON.stringify(results), () => process.exit(0))
}

void main()
