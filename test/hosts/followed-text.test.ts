/** The texts as hosts get them, followed by an agent that knows nothing else; its commands go to a real shell. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { LocalRun, StatusList } from '../../src/contract/run-status.shape.ts'
import { installDrover } from '../support/drover-shim.ts'
import { installFakeGh, toFakeGitHub } from '../support/fake-gh.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { PLAIN_ENV } from '../support/git-repository.ts'
import { runAt, temporaryDirectory } from '../support/run-drover.ts'
import { QUESTION, UNCLEAR_REQUEST, WIND_FILES } from '../support/scripted-actions.ts'
import { replyTo } from '../support/scripted-agent.ts'
import { ISSUE_URL, makeBundle } from '../support/source-bundle.ts'
import { createRepository } from '../support/temporary-repository.ts'

function open() {
  const repository = createRepository()
  for (const [path, content] of Object.entries(WIND_FILES)) repository.write(path, content)
  repository.commit()
  const desk = temporaryDirectory()
  const { bin } = installDrover(desk)
  installFakeGh(desk, toFakeGitHub(makeBundle()))
  const files = temporaryDirectory()
  const env = { ...PLAIN_ENV, HOME: desk, TMPDIR: files, PATH: `${bin}:${PLAIN_ENV.PATH}` }
  const shell = (line: string) => runAt(repository.root, ['bash', '-c', line], env)
  const leftFiles = () => readdirSync(files).filter((name) => name.startsWith('tmp.'))
  return { ...repository, shell, leftFiles }
}

const WHOLE = ['orient completed', 'implement completed', 'review completed', 'summarize completed']

const REQUESTS: readonly [string, string, string[], { questions: number; sections: number }][] = [
  ['a goal that leaves a question', UNCLEAR_REQUEST, ['orient needs_input', ...WHOLE], { questions: 1, sections: 0 }],
  ['an issue', `Do ${ISSUE_URL}`, WHOLE, { questions: 0, sections: 5 }],
]

it.each(IS_FULL ? REQUESTS : REQUESTS.slice(0, 1))(
  'drover-run leads through a whole run: %s',
  async (_, request, actions, { questions, sections }) => {
    const { root, shell, leftFiles } = open()
    expect(await shell('drover install --tool claude')).toMatchObject({ code: 0 })
    const text = readFileSync(join(root, '.claude/skills/drover-run/SKILL.md'), 'utf8')

    const done: string[] = []
    const heard: string[] = []
    let reply = replyTo({ text, request }, heard)
    while ('shell' in reply || reply.says === QUESTION) {
      done.push('shell' in reply ? reply.shell : reply.says)
      const { stdout, stderr } = 'shell' in reply ? await shell(reply.shell) : { stdout: 'Knots.', stderr: '' }
      heard.push(stdout + stderr)
      reply = replyTo({ text, request }, heard)
    }

    expect(reply.says).toMatch(/^The run \S+ is ended\.$/)
    const { runs }: StatusList = JSON.parse((await shell('drover status --json')).stdout)
    expect(runs).toHaveLength(1)
    const run = runs[0] as LocalRun
    expect(run).toMatchObject({ state: 'ended', goal: request })
    expect(run.actions.map(({ action, outcome }) => `${action.kind} ${outcome?.status}`)).toEqual(actions)
    expect(readFileSync(join(root, 'wind.txt'), 'utf8')).toBe('wind: 23 knots\n')
    expect(done.filter((each) => each === QUESTION)).toHaveLength(questions)
    const readings = done.filter((each) => each.startsWith('drover protocol material'))
    expect(readings).toHaveLength(sections * actions.length)
    expect(leftFiles()).toEqual([])
  },
)
