/**
 * Drivers that follow a pull request, killed again and again: at every change that they make on the forge, before they hear of it,
 * and at requests in between. Nothing may be done twice, and nothing may be left out.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readDrive } from '../../src/drive/record/drive-journal.ts'
import { openRunStore } from '../../src/journal/run-store.ts'
import { droverPath } from '../support/bundled-program.ts'
import { hasForge } from '../support/forge/fake-forge.ts'
import { createFollowedHome, WALK_SCRIPT, Walk } from '../support/forge/followed-home.ts'
import { processesWith, sessionsIn } from './observation.ts'
import { type Figures, type Scenario, sum } from './scenario.ts'

/** Far longer than the walk takes on a busy machine. */
const LIMIT_MS = 15 * 60_000
const MOST_KILLS = 60
/** Of the requests that only read. */
const EVERY_REQUESTS = 23

type Moment = 'change' | 'request'

export const FOLLOW_FAULTS: readonly Scenario[] = [
  {
    name: 'driver that follows a pull request killed at each change on the forge; the run continues',
    moment: 'change',
  },
  {
    name: `driver that follows a pull request killed at every ${EVERY_REQUESTS}rd request; the run continues`,
    moment: 'request',
  },
].map(({ name, moment }) => ({
  name,
  times: { gate: 0, full: 1 },
  ...(!hasForge && { obstacle: 'gh or openssl is missing' }),
  run: async (times: number) => await countWalks(times, moment as Moment),
}))

async function countWalks(times: number, moment: Moment): Promise<Figures> {
  const since = performance.now()
  const figures: Figures = { times: 0, seconds: 0, sessions: {}, processes: 0, problems: [] }
  for (let at = 0; at < times; at++) {
    const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'drover-followed-')))
    const home = await createFollowedHome(scratch, WALK_SCRIPT, { stays: true })
    try {
      const { kills, problems } = await walk(home, moment)
      figures.times += kills
      figures.problems.push(...problems)
      figures.processes += processesWith(home.home).length
      figures.sessions = sum(figures.sessions, sessionsIn(home.home))
    } finally {
      await home.forge.close()
      rmSync(scratch, { recursive: true, force: true })
    }
  }
  return { ...figures, seconds: (performance.now() - since) / 1000 }
}

type Home = Awaited<ReturnType<typeof createFollowedHome>>

async function walk(home: Home, moment: Moment): Promise<{ kills: number; problems: string[] }> {
  const { forge, repository, env } = home
  const { number } = forge.addIssue('Show the wind in knots', 'In knots.')
  const people = new Walk(forge)
  let child: ChildProcess | undefined
  let [kills, requests] = [0, 0]
  const kill = () => {
    kills += 1
    child?.kill('SIGKILL')
  }
  const act = forge.refuse
  forge.refuse = (request) => {
    requests += 1
    if (moment === 'request' && requests % EVERY_REQUESTS === 0) kill()
    return act(request)
  }
  if (moment === 'change') forge.onChange = kill
  const first = ['drive', `#${number}`, '--as-goal', '--no-review', '--follow', '--check', 'sh check.sh']
  const output: string[] = []
  for (let starts = 0; starts < MOST_KILLS; starts++) {
    const before = kills
    const id = firstRun(home)
    child = spawn(process.execPath, [droverPath(), ...(id === '' ? first : ['drive', id])], {
      cwd: repository.root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: LIMIT_MS,
    })
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text) => output.push(text))
    const code = await new Promise<number | null>((resolve) => child?.on('exit', resolve))
    if (kills === before || code === 0) break
  }
  const problems = findProblems(home, people)
  return { kills, problems: problems.length === 0 ? [] : [...problems, output.join('').slice(-3000)] }
}

/** The one that no other continues. */
function firstRun({ runs, repository }: Home): string {
  const store = openRunStore({ gitCommonDir: join(repository.root, '.git') })
  const ids = existsSync(runs) ? readdirSync(runs).filter((name) => /^[0-9a-f-]{36}$/.test(name)) : []
  return ids.find((id) => readDrive(store, id)?.round === 1) ?? ''
}

function findProblems({ forge, repository }: Home, people: Walk): string[] {
  const answers = forge.lineComments.filter(({ author }) => author === 'drover-bot').map(({ thread }) => thread)
  const others = forge.comments.filter(({ author }) => author === 'drover-bot')
  const pulls = [...forge.items.values()].filter(({ pull }) => pull !== undefined)
  const facts: readonly (readonly [string, boolean])[] = [
    ['it was not merged', people.mergeCommit !== ''],
    [`answers in the threads ${answers} instead of ${people.comments}`, String(answers) === String(people.comments)],
    [`comments nobody asked for: ${others.map(({ body }) => body)}`, others.length === 0],
    [`${pulls.length} pull requests`, pulls.length === 1],
    ['a branch is left', repository.git('branch', '--list', 'drover/*') === ''],
    ['main does not have the work', forge.git('show', 'main:wind.txt') === 'wind: 25 knots'],
  ]
  return facts.filter(([, holds]) => !holds).map(([problem]) => problem)
}
