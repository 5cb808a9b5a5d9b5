/** `ps`, `logs`, `say`, `cancel` and `--detach`, on executions of other processes. */
import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import type { Execution } from '../../src/executions/store/execution.shape.ts'
import type { Script } from '../fake-agent/script.ts'
import { type AgentHome, createAgentHome, hangingAgent } from '../support/agent-home.ts'
import { IS_FULL } from '../support/full-counts.ts'
import { serveDrover } from '../support/serve-drover.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

let home: AgentHome

beforeEach(() => {
  home = createAgentHome()
})

const KEPT = { DROVER_EXECUTIONS_KEEP: 'events' }

/** Starts a command in a separate process whose agents hang. It is ended with its agents when the test ends. */
async function startHanging(args: readonly string[], { env = KEPT, script = {} as Script } = {}) {
  const pidFile = join(home.path, 'pids')
  const started = home.start(args, { env, script: { hangAfter: 'text', ...script, pidFile } })
  onTestFinished(async () => {
    started.child.kill('SIGINT')
    await started.ended
  })
  return { ...started, agent: await hangingAgent(pidFile) }
}

async function running(): Promise<Execution[]> {
  return JSON.parse((await home.drover(['ps', '--json'])).stdout).executions
}

/** The id of the only execution that runs, when it is saved. */
async function runningId(): Promise<string> {
  return await until(async () => (await running())[0]?.id)
}

describe('drover ps', () => {
  it('shows what runs in another process, with the beginning of its prompt if that is kept', async () => {
    await startHanging(['prompt', 'count the\nlines of this project', '-b', 'codex'])
    const id = await runningId()
    const { stdout } = await home.drover(['ps'])
    const [heading, row, ...more] = stdout.trimEnd().split('\n')
    expect(heading).toMatch(/^ID +STATE +KIND +BACKEND +AGE +DIRECTORY +PROMPT$/)
    expect(row).toMatch(
      new RegExp(`^${id.slice(5, 13)}  running +prompt +codex +[\\d.]+ m?s +\\S+ +count the lines of this project$`),
    )
    expect(more).toEqual([])
  })

  it('shows prompts of the command line of which nothing is kept, without their texts', async () => {
    const { child, ended } = await startHanging(['prompt', 'a secret'], { env: {} as typeof KEPT })
    await runningId()
    expect((await home.drover(['ps', '--json'])).stdout).not.toContain('secret')
    child.kill('SIGINT')
    await ended
    expect((await home.drover(['ps', '--all'])).stdout).toContain('No executions are kept')
  })

  it('shows the parts of a batch under it', async () => {
    writeFileSync(join(home.path, 'tasks.json'), JSON.stringify({ tasks: [{ prompt: 'one' }, { prompt: 'two' }] }))
    const { child, ended } = await startHanging(['parallel', '-f', 'tasks.json'])
    await until(async () => (await running()).length === 3)
    const rows = (await home.drover(['ps'])).stdout.trimEnd().split('\n').slice(1)
    expect(rows.map((row) => row.replace(/^(└?) *[0-9a-f]+ +running +(\w+) .*$/, '$1$2'))).toEqual([
      'parallel',
      '└task',
      '└task',
    ])
    child.kill('SIGINT')
    await ended
  })

  it.runIf(IS_FULL)('lists with --all the latest that have ended, page by page', async () => {
    for (const prompt of ['one', 'two', 'three']) await home.drover(['prompt', prompt], { env: KEPT })
    const list = async (args: string[]) => {
      const { stdout } = await home.drover(['ps', '--all', '--json', ...args])
      return JSON.parse(stdout).executions as Execution[]
    }
    const all = await list([])
    expect(all.map(({ prompt_start }) => prompt_start)).toEqual(['three', 'two', 'one'])
    const { stdout } = await home.drover(['ps', '--all', '-n', '2'])
    const [, before = ''] = /more: drover ps --all --before (\w+)\n$/.exec(stdout) ?? []
    expect(await list(['--before', before])).toMatchObject([{ prompt_start: 'one', state: 'completed' }])
  })
})

describe('drover logs', () => {
  it('replays the answer and the tool calls of an execution that has ended', async () => {
    const tool = `true ${'long '.repeat(60)}end`
    const script = { text: ['It is ', 'done.'], tool }
    const { stdout } = await home.drover(['prompt', 'go', '-o', 'json'], { env: KEPT, script })
    const id: string = JSON.parse(stdout).execution_id
    const text = await home.drover(['logs', id.slice(5, 11)])
    expect(text).toMatchObject({ code: 0, stderr: '' })
    expect(text.stdout).toMatch(/^→ .* end$/m)
    expect(text.stdout.endsWith('It is done.\n')).toBe(true)
    const events = (await home.drover(['logs', id, '--json'])).stdout.trimEnd().split('\n')
    const seqs = events.map((line) => JSON.parse(line).seq)
    expect(seqs).toEqual(seqs.map((_, at) => at + 1))
  })

  it('prints the answer, and who decided, if only results are kept', async () => {
    const env = { DROVER_EXECUTIONS_KEEP: 'results' }
    const { stdout } = await home.drover(['prompt', 'go', '-o', 'json'], { env, script: { text: ['Yes.'] } })
    const { execution_id: id } = JSON.parse(stdout)
    expect(await home.drover(['logs', id])).toEqual({ code: 0, stdout: 'Yes.\n', stderr: '' })
    const database = new DatabaseSync(join(home.path, '.drover', 'sessions.db'))
    const approval = { decision: 'allow', by: { via: 'key', name: 'ci' }, tool_name: 'Bash', command: 'ls\u001b[8m' }
    database
      .prepare("UPDATE executions SET result = json_set(result, '$.approvals', json(?)) WHERE id = ?")
      .run(JSON.stringify([approval]), id)
    database.close()
    expect((await home.drover(['logs', id])).stdout).toBe('→ allowed by ci (key): Bash ls[8m\nYes.\n')
  })

  it('says why there is no result, in words that are safe on a terminal', async () => {
    const { stdout } = await home.drover(['prompt', 'go', '-o', 'json'], { env: KEPT })
    const database = new DatabaseSync(join(home.path, '.drover', 'sessions.db'))
    const error = JSON.stringify({ code: 'x', message: 'no\u001b[2J\ndrover: done' })
    database.prepare("UPDATE executions SET state = 'failed', result = NULL, error = ?").run(error)
    database.close()
    const { stderr } = await home.drover(['logs', JSON.parse(stdout).execution_id])
    expect(stderr).toBe('drover: it failed: no[2J\n  drover: done\n')
  })

  it.runIf(IS_FULL)('follows an execution of another process until its end', async () => {
    const permits = join(home.path, 'permits')
    writeFileSync(permits, '.')
    const script = { text: ['first ', 'second ', 'third'], permits }
    const { ended } = home.start(['prompt', 'go', '-o', 'stream-json'], { env: KEPT, script })
    const id = await runningId()
    const following = home.start(['logs', '-f', id], {})
    let seen = ''
    following.child.stdout?.on('data', (text) => {
      seen += text
    })
    await until(() => seen.includes('first'))
    appendFileSync(permits, '..')
    await ended
    expect(await following.ended).toMatchObject({ code: 0, stdout: 'first second third\n' })
  })

  it('ends only itself on Ctrl-C', async () => {
    await startHanging(['prompt', 'go', '-o', 'stream-json'], { script: { text: ['a word'] } })
    const id = await runningId()
    const following = home.start(['logs', '-f', id], {})
    await until(
      () =>
        new Promise<boolean>((resolve) => {
          following.child.stdout?.once('data', () => resolve(true))
        }),
    )
    following.child.kill('SIGINT')
    expect(await following.ended).toMatchObject({ code: 130 })
    expect(await running()).toMatchObject([{ id, state: 'running' }])
  })

  it('prints the parts of a batch in turn', async () => {
    writeFileSync(join(home.path, 'tasks.json'), JSON.stringify({ tasks: [{ prompt: 'one' }, { prompt: 'two' }] }))
    await home.drover(['parallel', '-f', 'tasks.json'], { env: KEPT, script: { text: ['Done.'] } })
    const { executions } = JSON.parse((await home.drover(['ps', '--all', '--json'])).stdout)
    const batch = executions.find(({ kind }: Execution) => kind === 'parallel')
    const { stdout } = await home.drover(['logs', batch.id])
    expect(stdout).toMatch(/^── [0-9a-f]{8} claude: (one|two)\nDone\.\n── [0-9a-f]{8} claude: (one|two)\nDone\.\n$/)
  })

  it.each([
    ['a wrong id', 'exec_ffffffff', 1, 'no execution exec_ffffffff exists'],
    ['a text that is no id', 'nonsense', 2, 'is not an execution id'],
  ])('refuses %s', async (_name, id, code, message) => {
    expect(await home.drover(['logs', id])).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
  })
})

describe('drover say', () => {
  it('gives a message to the agent of another process, for the next prompt of its session', async () => {
    const { child, ended } = await startHanging(['prompt', 'go'])
    const id = await runningId()
    const said = `The agent of ${id.slice(5, 13)} gets the message with the next prompt of its session.\n`
    expect(await home.drover(['say', id, 'knots'])).toEqual({ code: 0, stdout: said, stderr: '' })
    const piped = await home.drover(['say', id, '--json'], { input: 'feet' })
    expect(JSON.parse(piped.stdout)).toEqual({
      execution_id: id,
      message_id: expect.any(String),
      delivered: 'next_turn',
    })
    // The other process writes its events to the store a moment after they happen.
    await until(async () => {
      const logged = await home.drover(['logs', id])
      return /knots.*feet/s.test(logged.stderr + logged.stdout)
    })
    child.kill('SIGINT')
    await ended
    expect((await home.drover(['resume', '--last', 'say more'])).stdout).toMatch(/say more.*knots feet/)
    expect(await home.drover(['say', id, 'late'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('has already ended'),
    })
  })

  it('refuses the agents of a run that want to speak for its user', async () => {
    await startHanging(['prompt', 'go'])
    const id = await runningId()
    const store = new DatabaseSync(join(home.path, '.drover', 'sessions.db'), { timeout: 10_000 })
    store.prepare('UPDATE executions SET parent_id = ?').run('run-1')
    store.close()
    const refused = await home.drover(['say', id, 'all is well'], { env: { DROVER_RUN: 'run-1' } })
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('run-1') })
  })
})

describe('drover cancel', () => {
  it('ends the agent of another process and waits until it is gone', async () => {
    const { agent, ended } = await startHanging(['prompt', 'go'])
    const id = await runningId()
    expect(await home.drover(['cancel', id])).toEqual({ code: 0, stdout: `${id.slice(5, 13)} canceled\n`, stderr: '' })
    expect(isRunning(agent)).toBe(false)
    expect((await ended).stderr).toContain('was canceled')
    const again = await home.drover(['cancel', id])
    expect(again).toMatchObject({ code: 1, stdout: expect.stringContaining('had ended before: cancelled') })
  })

  it.runIf(IS_FULL)('ends one of which nothing is kept, and a batch as a whole', async () => {
    writeFileSync(join(home.path, 'tasks.json'), JSON.stringify({ tasks: [{ prompt: 'one' }, { prompt: 'two' }] }))
    const { ended } = await startHanging(['parallel', '-f', 'tasks.json'], { env: {} as typeof KEPT })
    const found = await until(async () => {
      const all = await running()
      return all.length === 3 && all
    })
    const batch = found.find(({ kind }) => kind === 'parallel')
    const { code, stdout } = await home.drover(['cancel', String(batch?.id), '--json'])
    expect({ code, stdout: JSON.parse(stdout) }).toEqual({
      code: 0,
      stdout: { executions: [{ id: batch?.id, state: 'cancelled' }] },
    })
    await ended
    expect(await running()).toEqual([])
  })

  it('cancels nothing if one of the ids is wrong', async () => {
    const { agent } = await startHanging(['prompt', 'go'])
    const id = await runningId()
    expect(await home.drover(['cancel', id, 'exec_ffffffff'])).toMatchObject({ code: 1, stdout: '' })
    expect(isRunning(agent)).toBe(true)
    expect((await home.drover(['complete-words', '--', 'cancel', ''])).stdout).toBe(`${id.slice(5, 13)}\n`)
  })

  it('reports an execution as lost if its process was killed', async () => {
    const { child } = await startHanging(['prompt', 'go'])
    const id = await runningId()
    const cancelling = home.drover(['logs', '-f', id])
    child.kill('SIGKILL')
    expect((await cancelling).stderr).toContain('it is lost and has no result')
    expect(await home.drover(['cancel', id])).toMatchObject({ code: 1, stdout: expect.stringContaining('lost') })
  })
})

describe('--detach', () => {
  it('leaves a prompt and a resumed one to the server, with the directory and modes of the caller', async () => {
    const serving = serveDrover(['-p', '0'], home.env)
    await until(() => serving.heard.stdout.includes('Press Ctrl-C to stop'))
    const cwd = home.folder('project')
    const env = { DROVER_UNIFIED_FLAGS_APPROVAL_MODE: 'auto' }
    const first = await home.drover(['prompt', '--detach', '--access', 'workspace', 'go'], { cwd, env })
    expect(first).toMatchObject({ code: 0, stderr: '', stdout: expect.stringMatching(/^exec_[0-9a-f]{24}\n$/) })
    const log = await home.drover(['logs', '-f', first.stdout.trim()])
    expect(log.stdout).toContain('Your prompt arrived: "go"')
    const { sessions } = JSON.parse((await home.drover(['sessions', 'list', '--json'])).stdout)
    expect(sessions).toMatchObject([
      { working_dir: cwd, tags: [], policy: { approval_mode: 'auto', sandbox_mode: 'workspace' } },
    ])
    const second = await home.drover(['resume', sessions[0].id, '--detach', '-o', 'json', 'more'])
    const accepted = JSON.parse(second.stdout)
    expect(accepted).toMatchObject({ session_id: sessions[0].id, links: { self: expect.any(String) } })
    expect((await home.drover(['logs', '-f', accepted.execution_id])).stdout).toContain('It continues session')
  })

  it('without a server, says how to start one', async () => {
    expect(await home.drover(['prompt', '--detach', 'go'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringMatching(/^drover: no server answers on .*server\.sock; start one with "drover serve"/),
    })
    expect(existsSync(join(home.path, '.drover', 'server.sock'))).toBe(false)
  })

  it.each([[['--raw']], [['--dry-run']], [['--demo']], [['--ephemeral']], [['-o', 'stream-json']]])(
    'is refused with %j',
    async (args) => {
      expect(await home.drover(['prompt', '--detach', 'go', ...args])).toMatchObject({ code: 2, stdout: '' })
    },
  )
})
