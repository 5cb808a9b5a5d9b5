/** Driven runs whose worktrees are prepared, and whose driver is killed meanwhile. */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  existsSync,
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { droverPath } from '../support/bundled-program.ts'
import { createDrivenHome, type DrivenHome, dataOf } from '../support/driven-home.ts'
import { processesWith } from './observation.ts'

const KILLER = join(import.meta.dirname, '..', 'programs', 'kill-in-preparation.ts')

/** As a package manager: nested files, a script that knows its place, links. The last file tells that it is complete. */
const INSTALL = `set -e
mkdir -p deps/bin deps/lib
for name in one two three; do echo "$name" > deps/lib/$name; done
echo "#!$PWD/deps/bin/tool" > deps/bin/run
chmod 755 deps/bin/run
ln -s "$PWD/deps/lib/one" deps/link
echo complete > .installed
`
/** Fails if anything of it is missing, or is of another place. */
const VERIFY = `set -e
test "$(cat .env.test)" = KEY=1
for name in one two three; do test "$(cat deps/lib/$name)" = "$name"; done
test "$(cat deps/bin/run)" = "#!$PWD/deps/bin/tool"
test -x deps/bin/run
test "$(readlink deps/link)" = "$PWD/deps/lib/one"
test "$(cat .installed)" = complete
test "$(find deps | wc -l)" -eq 8
`

export type PreparedRunsOptions = {
  /** What is already installed in the user's tree. */
  installed: 'nothing' | 'everything'
  /** Runs are driven to their delivery. Otherwise they pause before the first agent, which is faster. */
  isWhole: boolean
}

type Ended = { code: number | null; output: string; runId: string }

export class PreparedRuns implements Disposable {
  readonly home: DrivenHome
  readonly #scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-prepared-')))
  readonly #before: string
  readonly #isWhole: boolean

  constructor({ installed, isWhole }: PreparedRunsOptions) {
    this.#isWhole = isWhole
    this.home = createDrivenHome(this.#scratch)
    const { repository } = this.home
    const files = { '.gitignore': 'deps/\n.env.test\n.installed\n', 'package-lock.json': '{}', 'install.sh': INSTALL }
    for (const [path, content] of Object.entries({ ...files, 'verify.sh': VERIFY })) repository.write(path, content)
    repository.commit()
    repository.write('.env.test', 'KEY=1\n')
    const share = installed === 'everything' ? ['deps', '.installed'] : []
    if (installed === 'everything') this.#install()
    const checks = ['sh verify.sh', ...(isWhole ? [] : ['false'])]
    const drive = {
      setup: ['sh install.sh'],
      copy: ['.env.test'],
      share,
      checks,
      baseline: 'require',
    }
    this.home.configure(JSON.stringify({ drive }))
    // Git refreshes its index the first time.
    repository.git('status')
    this.#before = this.#digestOfUser()
  }

  #install(): void {
    const { root, write, git } = this.home.repository
    git('-c', 'alias.install=!sh install.sh', 'install')
    write('deps/bin/run', `#!${root}/deps/bin/tool\n`)
  }

  /** Starts a run, or continues one. `killAt` is the number of a moment. */
  async drive(target: string, killAt?: number): Promise<Ended> {
    const { repository, env } = this.home
    const counter = { ...(killAt !== undefined && { KILL_AT: String(killAt) }), KILL_COUNT: this.#countPath }
    rmSync(this.#countPath, { force: true })
    const before = this.#runs()
    const args = ['--import', KILLER, droverPath(), 'drive', target, '--no-review']
    const child = spawn(process.execPath, args, {
      ...{ cwd: repository.root, env: { ...env, ...counter }, stdio: ['ignore', 'pipe', 'pipe'], timeout: 300_000 },
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', (text) => (output += text))
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    const runId = this.#runs().find((name) => !before.includes(name)) ?? target
    return { code, output, runId }
  }

  #runs(): string[] {
    const { runs } = this.home
    return existsSync(runs) ? readdirSync(runs).filter((name) => /^[0-9a-f-]{36}$/.test(name)) : []
  }

  get #countPath(): string {
    return join(this.#scratch, 'count')
  }

  /** How many moments the last preparation had, if it was completed. */
  get moments(): number {
    return existsSync(this.#countPath) ? Number(readFileSync(this.#countPath, 'utf8')) : 0
  }

  /** What is wrong with a run that should have been delivered, or should wait for the first agent. */
  problems({ code, output, runId }: Ended, sources: readonly string[]): string[] {
    const records = this.home.records(runId)
    const found = {
      isPrepared: dataOf(records, 'prepared').map((each) => sources.includes(each.from)),
      checks: [...dataOf(records, 'baseline_ran'), ...dataOf(records, 'check_ran')].map(({ passed }) => passed),
      delivered: dataOf(records, 'delivered').map(({ as }) => as),
    }
    const [end, wanted] = this.#isWhole
      ? [0, { isPrepared: [true], checks: [true, true], delivered: ['branch'] }]
      : [4, { isPrepared: [true], checks: [true, false], delivered: [] }]
    return [
      ...(code === end ? [] : [`the command ended with ${code}: ${output}`]),
      ...(JSON.stringify(found) === JSON.stringify(wanted) ? [] : [`it was ${JSON.stringify(found)}`]),
      ...(this.#digestOfUser() === this.#before ? [] : ['the tree of the user has changed']),
      ...(processesWith(this.home.home).length === 0 ? [] : ['processes are left']),
    ]
  }

  /** Everything in the user's tree, with times, and all of the repository but what runs and new branches add. */
  #digestOfUser(): string {
    const { root } = this.home.repository
    const hash = createHash('sha256')
    const entries = readdirSync(root, { recursive: true, withFileTypes: true })
    const paths = entries.map(({ parentPath, name }) => relative(root, join(parentPath, name)))
    for (const path of paths.filter((each) => !ADDED.test(each)).toSorted()) hash.update(describeEntry(root, path))
    return hash.digest('hex')
  }

  [Symbol.dispose](): void {
    for (const pid of processesWith(this.home.home)) process.kill(pid, 'SIGKILL')
    rmSync(this.#scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
  }
}

const ADDED = /^\.git\/(?:drover|worktrees|objects|logs\/refs\/heads\/drover|refs\/heads\/drover)(?:\/|$)/

function describeEntry(root: string, path: string): string {
  const place = join(root, path)
  const found = lstatSync(place)
  if (found.isDirectory()) return `${path}\0${found.mode}\0`
  const content = found.isSymbolicLink() ? readlinkSync(place) : readFileSync(place, 'latin1')
  return `${path}\0${found.mode}\0${found.mtimeMs}\0${content}\0`
}
