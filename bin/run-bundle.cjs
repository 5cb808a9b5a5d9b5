/*
 * Runs the bundled program with code that V8 compiled in an earlier process. This halves the time of a command.
 *
 * Node's own compile cache only contains what is compiled when a file is loaded, not the functions that are compiled on
 * their first call. Here the cache is written when the process ends and contains the functions that were called, so each
 * command has a separate cache.
 */
const { closeSync, fstatSync, openSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } = require('node:fs')
const { getCompileCacheDir } = require('node:module')
const { join } = require('node:path')
const { pathToFileURL } = require('node:url')
const { Script } = require('node:vm')

const DIST = join(__dirname, '..', 'dist')
/** The most words of a command, as in "sessions tag add". */
const MAX_COMMAND_WORDS = 3
const UNKNOWN = 'unknown'

/** The program is in several scripts (scripts/bundle-program.ts), of which a small command needs one. */
exports.runBundle = () => {
  const cacheFile = findCacheFile()
  const modules = {}
  const run = (name, cache) => runScript(join(DIST, name), cache, { modules, load })
  const load = (path, script) => {
    if (modules[path] === undefined) run(script, cacheFile && `${cacheFile}-${script}`)
    return modules[path]()
  }
  run('drover.cjs', cacheFile)
}

/**
 * Whether the bundle of a clone was made from the files that are there now. Every change of a file changes its ctime, so neither an
 * edit nor a git pull leaves an old bundle in use. There are hundreds of files, so each costs one call and nothing else.
 */
exports.isFresh = (root) => {
  try {
    const inputs = JSON.parse(readFileSync(join(DIST, 'inputs.json'), 'utf8'))
    return inputs.every(([path, stamp]) => stampOf(`${root}/${path}`) === stamp)
  } catch {
    return false
  }
}

/** No program can set the ctime of a file. */
const stampOf = (path) => statSync(path).ctimeMs
exports.stampOf = stampOf

/** The script adds its modules to `modules`, and gets those of other scripts with `load`. */
function runScript(filename, cacheFile, { modules, load }) {
  const cachedData = cacheFile === undefined ? undefined : readOwn(cacheFile)
  const script = new Script(readFileSync(filename, 'latin1'), { filename, cachedData })
  if (cacheFile !== undefined && (cachedData === undefined || script.cachedDataRejected)) {
    process.on('exit', (code) => {
      // A command that fails early has called few of its functions. An unknown one fails always.
      if (code === 0 || cacheFile.includes(`-${UNKNOWN}`)) writeCache(cacheFile, script.createCachedData())
    })
  }
  script.runInThisContext()(require, pathToFileURL(filename).href, modules, load)
}

/** A file in Node's compile cache directory; undefined if the user has turned that off. */
function findCacheFile() {
  const directory = getCompileCacheDir()
  if (directory === undefined) return undefined
  const { build, commands } = JSON.parse(readFileSync(join(DIST, 'facts.json'), 'utf8'))
  return join(directory, `drover-${build}-${commandIn(process.argv.slice(2), commands).replaceAll(' ', '-')}`)
}

/** A guess is enough: with the cache of another command, more functions are compiled again, and nothing else differs. */
function commandIn(argv, commands) {
  if (argv.includes('--help') || argv.includes('-h')) return 'help'
  if (argv.includes('--version') || argv.includes('-v')) return 'version'
  const words = argv.filter((word) => !word.startsWith('-')).slice(0, MAX_COMMAND_WORDS)
  const isPrompt = argv.length === 0 || argv[0].startsWith('-') || words.some((word) => /\s/.test(word))
  for (; words.length > 0; words.pop()) if (commands.includes(words.join(' '))) return words.join(' ')
  return isPrompt ? 'prompt' : UNKNOWN
}

/** A cache is code, and others may be able to write to the directory: only the user's own file is used. */
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

/** V8 does not check the content of a cache, so the file is renamed into place when it is complete. Errors are ignored. */
function writeCache(path, data) {
  const temporary = `${path}.${process.pid}`
  try {
    writeFileSync(temporary, data, { flag: 'wx', mode: 0o600, flush: true })
    renameSync(temporary, path)
  } catch {
    rmSync(temporary, { force: true })
  }
}
