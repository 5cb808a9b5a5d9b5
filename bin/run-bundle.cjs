/*
 * Runs the bundled program, with the code that V8 made of it in an earlier process: that halves what a command costs.
 *
 * Node's own compile cache holds what is compiled when a file is loaded, which are its outermost lines. A function is
 * compiled when it is first called, and that was done anew in every process. Here the cache is made when a process ends,
 * and holds the functions that were called; therefore each command has its own.
 */
const { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } = require('node:fs')
const { getCompileCacheDir } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')

const DIST = join(__dirname, '..', 'dist')
/** Words of a command, as in "sessions tag add". */
const LONGEST_COMMAND = 3

exports.runBundle = () => {
  const filename = join(DIST, 'drover.cjs')
  const cacheFile = findCacheFile()
  const cachedData = cacheFile === undefined ? undefined : readOwn(cacheFile)
  const script = new Script(readFileSync(filename, 'utf8'), { filename, cachedData })
  if (cacheFile !== undefined && (cachedData === undefined || script.cachedDataRejected)) {
    process.on('exit', (code) => {
      // Whoever fails early has called little of what the command is made of.
      if (code === 0) keep(cacheFile, script.createCachedData())
    })
  }
  script.runInThisContext()(require, pathToFileURL(filename).href)
}

/** In the directory that Node has for such files, of this version and this user; undefined if the user wants none. */
function findCacheFile() {
  const directory = getCompileCacheDir()
  if (directory === undefined) return undefined
  const { build, commands } = JSON.parse(readFileSync(join(DIST, 'facts.json'), 'utf8'))
  return join(directory, `drover-${build}-${commandIn(process.argv.slice(2), commands).replaceAll(' ', '-')}`)
}

/** A guess is enough: with the cache of another command there is more left to compile, and nothing else is different. */
function commandIn(argv, commands) {
  if (argv.includes('--help') || argv.includes('-h')) return 'help'
  if (argv.includes('--version') || argv.includes('-v')) return 'version'
  const words = argv.filter((word) => !word.startsWith('-')).slice(0, LONGEST_COMMAND)
  for (; words.length > 0; words.pop()) if (commands.includes(words.join(' '))) return words.join(' ')
  return 'prompt'
}

/** The directory may be where others can write, and a cache is code: one that somebody else has put there is none. */
function readOwn(path) {
  let descriptor
  try {
    descriptor = openSync(path)
    const isOwn = process.getuid === undefined || fstatSync(descriptor).uid === process.getuid()
    return isOwn ? readFileSync(descriptor) : undefined
  } catch {
    return undefined
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

/** V8 takes a cache at its word, so nobody may ever find half of one. Without any, everything works as well. */
function keep(path, data) {
  const temporary = `${path}.${process.pid}`
  try {
    writeFileSync(temporary, data, { flag: 'wx', mode: 0o600, flush: true })
    renameSync(temporary, path)
  } catch {
    rmSync(temporary, { force: true })
  }
}
