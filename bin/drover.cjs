#!/usr/bin/env node
// The entry point, written so that an old Node can parse it and run a newer one, or print a message instead of a syntax error.
const { existsSync, readFileSync, writeSync } = require('node:fs')
const { join } = require('node:path')

const REQUIRED = 24
const root = join(__dirname, '..')
const isClone = existsSync(join(root, 'src', 'bin.ts'))

if (process.platform === 'win32') {
  process.stderr.write(
    'drover: does not run on Windows itself. Install it in WSL 2, where your agents run too: https://learn.microsoft.com/windows/wsl/install\n',
  )
  process.exit(1)
}

// Without a listener, the signal opens a debugger in Node: then every program of the user, such as an agent, reads all of it.
process.on('SIGUSR1', () => {})

if (isClone && !existsSync(join(root, 'node_modules'))) {
  const { installIn } = require('./run-newer-node.cjs')
  process.stderr.write(`drover: this clone has no dependencies yet. Run this once: ${installIn(root)}\n`)
  process.exit(1)
}

if (Number(process.versions.node.split('.')[0]) < REQUIRED)
  require('./run-newer-node.cjs').runNewerNode({ root, isClone })
else start()

function start() {
  if (process.env.DROVER_LAUNCHER !== undefined) require('./run-newer-node.cjs').endWithLauncher()
  if (process.argv.length === 3 && ['--version', '-v'].includes(process.argv[2]) && printVersion()) return
  require('node:module').enableCompileCache()
  const { isFresh, runBundle } = require('./run-bundle.cjs')
  // The published package contains a bundle of the sources. A clone may have one (scripts/bundle-clone.ts).
  if (!isClone || isFresh(root)) runBundle()
  else void import('../src/bin.ts')
}

/** Scripts ask for it often, and to load the program takes longer than Node. If this fails, the program reports why. */
function printVersion() {
  try {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
    return writeSync(1, `drover ${version}\n`) > 0
  } catch {
    return false
  }
}
