// Brings node_modules up to date with the lock file, before `npm start` and `npm test`. It runs on the machine's own Node,
// which may be as old as 18, before anything is installed: plain JavaScript, built-in modules only.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { takeInstallLock } from './install-lock.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const LOOK_MS = 15_000
/** As many looks as there are in two minutes. */
const LOOKS = 8
/** What npm repeats for minutes, and what does not pass. */
const CERTIFICATE = /failed with ((?:SELF_SIGNED_CERT|DEPTH_ZERO_SELF|UNABLE_TO_|CERT_)[A-Z_]*)/
const CAUSES =
  'a missing network, or a proxy whose certificate npm does not know (NODE_EXTRA_CA_CERTS=FILE, or npm config set cafile FILE)'
const NPM_LOG = 'the newest log in ~/.npm/_logs says what fails, if anything does'
/** At its end, `npm install` records the packages in the words of the lock file. */
const NPM_RECORD = 'node_modules/.package-lock.json'
const DEPENDENCIES = ['dependencies', 'devDependencies', 'optionalDependencies', 'peerDependencies']
const stampFile = join(root, 'node_modules', '.drover-stamp')

process.exitCode = await bootstrap()

async function bootstrap() {
  if (isInstalled()) return 0
  if (!hasRuntime()) {
    say(`this machine has Node ${process.versions.node} and drover needs Node 24 or newer, which npm cannot install on`)
    say(`${process.platform}-${process.arch}. Install Node 24 (https://nodejs.org/en/download), then run this again.`)
    return 1
  }
  const lock = await takeInstallLock(join(root, '.bootstrap.lock'), (owner) =>
    say(`process ${owner} is installing the dependencies; waiting for it`),
  )
  try {
    // The previous holder of the lock may have installed already.
    return isInstalled() ? 0 : await install(lock)
  } finally {
    lock.release()
  }
}

/** The stamp is written last, and `npm ci` first deletes it with everything else: an interrupted install never looks finished. */
async function install(lock) {
  if (isInstalledByHand()) return finish()
  say(
    'first run in this clone (or the lock file changed): installing dependencies with npm ci, which takes a minute or two',
  )
  rmSync(stampFile, { force: true })
  const { code, certificate } = await npmCi(lock)
  if (code === 0 && existsSync(join(root, 'node_modules'))) return finish()
  if (certificate !== undefined) {
    say(`npm does not trust the certificate of its registry (${certificate}), perhaps that of a proxy. Set`)
    say('NODE_EXTRA_CA_CERTS=FILE, or run npm config set cafile FILE, then run this again.')
  } else say(`npm ci failed (exit ${code}). The usual cause is ${CAUSES}; ${NPM_LOG}. Run this again to retry.`)
  return code === 0 ? 1 : code
}

function finish() {
  writeFileSync(stampFile, wantedStamp())
  bundleProgram()
  return 0
}

/** The linked command of a clone starts faster from a bundle. It works without one, so a failure does not matter. */
function bundleProgram() {
  const own = join(root, 'node_modules', '.bin', 'node')
  const node = existsSync(own) ? own : process.execPath
  spawnSync(node, [join(root, 'scripts', 'bundle-clone.ts')], { cwd: root, stdio: 'ignore' })
}

function npmCi(lock) {
  // Nothing that is installed needs its install script.
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']
  // The npm that runs this script, on its own Node: on another Node it would look for its settings elsewhere.
  const { npm_execpath: script, npm_node_execpath: node = process.execPath } = process.env
  const [command, rest] = script?.endsWith('.js') ? [node, [script, ...args]] : ['npm', args]
  const child = spawn(command, rest, {
    cwd: root,
    stdio: ['ignore', 2, 2],
    env: environmentForNpm(),
    shell: command === 'npm' && process.platform === 'win32',
  })
  lock.names(child.pid)
  const forward = (signal) => child.kill(signal)
  process.on('SIGINT', forward).on('SIGTERM', forward)
  const started = Date.now()
  let looks = 0
  let certificate
  // npm repeats what fails for minutes, and is silent meanwhile.
  const slow = setInterval(() => {
    certificate = CERTIFICATE.exec(newestLog(started))?.[1]
    if (certificate !== undefined) child.kill()
    else if (++looks % LOOKS === 0)
      say(`npm is still installing. If it takes much longer, the usual cause is ${CAUSES}; ${NPM_LOG}.`)
  }, LOOK_MS)
  return new Promise((resolve) => {
    child.on('error', () => resolve({ code: 1, certificate }))
    child.on('exit', (code, signal) => resolve({ code: signal === null ? (code ?? 1) : 1, certificate }))
  }).finally(() => clearInterval(slow))
}

/** Of npm, since that time. Empty if it writes elsewhere. */
function newestLog(started) {
  try {
    const directory = join(homedir(), '.npm', '_logs')
    const since = new Date(started).toISOString().replace(/[:.]/g, '_')
    const newest = readdirSync(directory).sort().at(-1)
    return newest !== undefined && newest > since ? readFileSync(join(directory, newest), 'utf8') : ''
  } catch {
    return ''
  }
}

/** npm inside an npm script inherits settings from the outer call that would change what it installs. */
function environmentForNpm() {
  const outer = /^npm_(lifecycle|package|command|config_(global|ignore_scripts|omit|include|prefix))/
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !outer.test(name)))
}

function isInstalled() {
  try {
    return readFileSync(stampFile, 'utf8') === wantedStamp()
  } catch {
    return false
  }
}

/** Whether someone has run `npm install`. */
function isInstalledByHand() {
  try {
    const { packages: wanted } = readJson('package-lock.json')
    const { packages: found } = readJson(NPM_RECORD)
    const isLocked = ['', 'runtime'].every((path) => isSameProject(readJson(join(path, 'package.json')), wanted[path]))
    return isLocked && Object.entries(wanted).every(([path, entry]) => path === '' || isFound(entry, found[path]))
  } catch {
    return false
  }
}

function isSameProject(written, locked) {
  return DEPENDENCIES.every((kind) => textOf(written[kind]) === textOf(locked[kind]))
}

function textOf(versions = {}) {
  return JSON.stringify(Object.entries(versions).sort())
}

/** npm leaves out optional packages for other platforms, and what only those need. */
function isFound(wanted, found) {
  if (found !== undefined) return found.version === wanted.version && found.integrity === wanted.integrity
  const { optional, os, cpu, libc } = wanted
  const isForThis = os?.includes(process.platform) && cpu?.includes(process.arch) && libc === undefined
  return optional === true && isForThis !== true
}

function readJson(file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'))
}

function wantedStamp() {
  const hash = createHash('sha256').update(`${process.platform}-${process.arch}\n`)
  for (const file of ['package-lock.json', 'package.json', 'runtime/package.json']) {
    hash.update(readFileSync(join(root, file)))
  }
  return hash.digest('hex')
}

/** Either this Node is new enough, or the private workspace `runtime` has one for this platform. */
function hasRuntime() {
  const major = Number(process.versions.node.split('.')[0])
  const platform = process.platform === 'win32' ? 'win' : process.platform
  const carried = readJson('runtime/package.json').optionalDependencies
  return major >= 24 || `node-${platform}-${process.arch}` in carried
}

function say(text) {
  console.error(`drover: ${text}`)
}
