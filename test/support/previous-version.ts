/** The version of drover before the last change of the tables, from the history of git. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..', '..')
const MIGRATIONS = 'src/store/postgres-migrations.ts'

type PreviousVersion = {
  commit: string
  /** Writes its files to a directory, which `dispose` removes. `drover` is its program. */
  unpack(): { drover: string } & Disposable
}

/** Undefined if the history is not here. */
export function findPreviousVersion(): PreviousVersion | undefined {
  const git = (...args: string[]) => spawnSync('git', args, { cwd: ROOT, encoding: 'utf8' }).stdout?.trim() ?? ''
  const changed = git('log', '--max-count=1', '--format=%H', '--', MIGRATIONS)
  const commit = changed === '' ? '' : git('rev-parse', '--verify', '--quiet', `${changed}^`)
  return commit === '' ? undefined : { commit, unpack: () => unpack(commit) }
}

function unpack(commit: string): { drover: string } & Disposable {
  const directory = mkdtempSync(join(tmpdir(), 'drover-previous-'))
  const archive = execFileSync('git', ['archive', commit, 'bin', 'src', 'package.json', 'schema'], {
    cwd: ROOT,
    maxBuffer: 2 ** 30,
  })
  execFileSync('tar', ['-x', '-C', directory], { input: archive })
  // Its dependencies are those of today.
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'))
  return {
    drover: join(directory, 'bin', 'drover.cjs'),
    [Symbol.dispose]: () => rmSync(directory, { recursive: true, force: true }),
  }
}
