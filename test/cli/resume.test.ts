import { spawn } from 'node:child_process'
import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome, hangingAgent } from '../support/agent-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { hasTerminals, leftOnScreen, startOnTerminal } from '../support/on-terminal.ts'
import { DROVER } from '../support/run-drover.ts'
import { until } from '../support/until.ts'

const RUN_ID = '6f1c2c6e-3b1b-4f39-9b0a-2f4f5a0d9a11'

let home: AgentHome

beforeEach(() => {
  home = createAgentHome()
})

/** Starts a session in a separate directory and gives its id. */
async function begin(args: readonly string[] = [], cwd = home.path): Promise<string> {
  const { stdout, stderr } = await home.drover(['first words', '-o', 'json', ...args], { cwd })
  expect(stderr).toBe('')
  return JSON.parse(stdout).session_id
}

async function show(id: string) {
  return JSON.parse((await home.drover(['sessions', 'show', id, '--json'])).stdout)
}

describe('a session of the demo agent', () => {
  it.each(
    firstOf([
      ['resume', (id: string) => ['resume', id, 'say more']],
      ['-c', () => ['-c', 'say more']],
      ['chat -c', () => ['chat', '-c']],
    ]),
  )('is not continued by the real agent with %s', async (_name, argsFor) => {
    const demo = await home.drover(['first words', '-o', 'json', '--demo'], { env: home.bare })
    const id = JSON.parse(demo.stdout).session_id
    expect(await show(id)).toMatchObject({ is_demo: true })
    expect((await home.drover(['sessions', 'list'])).stdout).toContain('claude (demo)')
    const ran = await home.start(argsFor(id), { input: 'say more' }).ended
    expect(ran.stderr).toContain('belongs to the demo agent, and claude is installed now')
    expect(await show(id)).toMatchObject({ turn_count: 1 })
  })
})

describe('a session of the demo agent, without an installed agent', () => {
  it('is shown with the command that continues it', async () => {
    const { stdout } = await home.drover(['first words', '-o', 'json', '--demo'], { env: home.bare })
    const shown = await home.drover(['sessions', 'show', JSON.parse(stdout).session_id])
    const [, ...words] =
      /^resume with +(drover resume [0-9a-f]{8} --demo) "\.\.\."$/m.exec(shown.stdout)?.[1]?.split(' ') ?? []
    expect(words).toHaveLength(3)
    expect(await home.drover([...words, 'more'], { env: home.bare })).toMatchObject({ code: 0 })
  })

  it('is continued only with --demo, and the message says so', async () => {
    await home.drover(['first words', '--demo'], { env: home.bare })
    const refused = await home.drover(['-c', 'say more'], { env: home.bare })
    expect([refused.code, refused.stderr]).toEqual([
      1,
      expect.stringContaining('and claude is not installed; start drover with --demo to continue it'),
    ])
    expect(await home.drover(['-c', '--demo', 'say more'], { env: home.bare })).toMatchObject({ code: 0 })
  })
})

describe('drover resume', () => {
  it.each(firstOf(['claude', 'codex', 'gemini']))('continues a session of %s', async (backend) => {
    const id = await begin(['-b', backend])
    const before = await show(id)
    const { code, stdout, stderr } = await home.drover(['resume', id.slice(0, 8), 'say more'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`It continues session ${before.backend_session_id}.`)
    expect(stdout).toContain('Your prompt arrived: "say more"')
    const after = await show(id)
    expect(after).toMatchObject({ status: 'completed', turn_count: 2, initial_prompt: 'first words' })
    expect(after.token_usage.output_tokens).toBeGreaterThan(before.token_usage.output_tokens)
  })

  it('works in the directory of the session, wherever it is called', async () => {
    const id = await begin([], home.folder('project'))
    const elsewhere = home.folder('elsewhere')
    const { stdout } = await home.drover(['resume', id, 'where', '-o', 'stream-json'], { cwd: elsewhere })
    const [init] = stdout.split('\n').map((line) => JSON.parse(line || '{}'))
    expect(init).toMatchObject({ type: 'init', session_id: id, content: { working_dir: join(home.path, 'project') } })
  })

  it.each(
    firstOf(
      [
        ['a pipe', ['-'], 'from a pipe'],
        ['a pipe without -', [], 'from a pipe'],
        ['a file alone', ['--file', 'task.md', '--no-stdin'], 'from a file'],
        ['a file and a pipe', ['--file', 'task.md'], 'from a file Content of standard input: ``` from a pipe ```'],
      ],
      2,
    ),
  )('reads its prompt from %s', async (_name, args, text) => {
    writeFileSync(join(home.path, 'task.md'), 'from a file')
    await begin()
    const ran = await home.drover(['resume', '--last', ...args], { input: 'from a pipe' })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining(`arrived: "${text}"`) })
  })

  it('prints an ordinary result as JSON', async () => {
    const id = await begin()
    const { stdout } = await home.drover(['resume', id, 'say more', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ session_id: id, backend: 'claude', exit_code: 0 })
  })

  it('warns if the permissions of the turn differ from those of the session', async () => {
    const id = await begin(['-b', 'codex', '--access', 'workspace'])
    const same = await home.drover(['resume', id, 'say more', '--dry-run'])
    expect(same).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('-s workspace-write'),
      stderr: expect.stringMatching(
        new RegExp(
          `^Would resume session ${id.slice(0, 8)} \\(codex\\) in ${home.path}\ndrover: warning: sandbox_mode is workspace,`,
        ),
      ),
    })
    expect(await home.drover(['resume', id, 'say more', '--access', 'full'])).toMatchObject({
      code: 0,
      stderr: 'drover: warning: sandbox_mode is full for this turn; the session was started with workspace\n',
    })
  })

  it('prints the command with --dry-run and does not change the session', async () => {
    const id = await begin()
    const before = await show(id)
    const { code, stdout } = await home.drover(['resume', id, 'say more', '--dry-run'])
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout: expect.stringMatching(new RegExp(`^Would execute: .*--resume ${before.backend_session_id}`)),
    })
    expect(await show(id)).toEqual(before)
    const json = await home.drover(['resume', id, 'say more', '--dry-run', '-o', 'json'])
    expect(JSON.parse(json.stdout)).toMatchObject({ session_id: id, exit_code: 0 })
    const events = await home.drover(['-c', 'say more', '--dry-run', '-o', 'stream-json'])
    for (const line of events.stdout.trim().split('\n')) expect(JSON.parse(line)).toMatchObject({ session_id: id })
  })

  it.runIf(IS_FULL)('exits with the code of the agent when it fails', async () => {
    const id = await begin()
    const ran = await home.drover(['resume', id, 'say more'], { script: { plainText: 'no', exitCode: 7 } })
    expect(ran).toMatchObject({ code: 7, stderr: expect.stringContaining('claude failed') })
    expect(await show(id)).toMatchObject({ status: 'error' })
  })

  it.runIf(IS_FULL)('exits with 124 after a timeout, and the session can be resumed again', async () => {
    const id = await begin()
    const args = ['resume', id, 'say more', '--timeout', '1']
    expect(await home.drover(args, { script: { hangAfter: 'init' } })).toMatchObject({ code: 124 })
    expect(await show(id)).toMatchObject({ status: 'paused', turn_count: 2 })
    expect(await home.drover(['resume', id, 'again'])).toMatchObject({ code: 0 })
  })
})

describe('the resumed session', () => {
  it('is the latest one with --last, of any directory', async () => {
    await begin([], home.folder('one'))
    const second = await begin([], home.folder('two'))
    for (const flag of ['--last', '--latest']) {
      const { stdout } = await home.drover(['resume', flag, 'say more', '-o', 'json'])
      expect(JSON.parse(stdout).session_id).toBe(second)
    }
  })

  it('is one of this directory with --here, also through a link', async () => {
    const one = await begin([], home.folder('one'))
    await begin([], home.folder('two'))
    symlinkSync(join(home.path, 'one'), join(home.path, 'link'))
    const { stdout } = await home.drover(['resume', '--last', '--here', 'say more', '-o', 'json'], {
      cwd: join(home.path, 'link'),
    })
    expect(JSON.parse(stdout).session_id).toBe(one)
  })

  it.runIf(IS_FULL)(
    'is one of this directory with --here alone, which refuses a prompt that looks like an id',
    async () => {
      const one = await begin([], home.folder('one'))
      await begin([], home.folder('two'))
      const cwd = join(home.path, 'one')
      const { stdout } = await home.drover(['resume', '--here', 'say more', '-o', 'json'], { cwd })
      expect(JSON.parse(stdout).session_id).toBe(one)
      const piped = await home.drover(['resume', '--here', '-o', 'json'], { cwd, input: 'from a pipe' })
      expect(JSON.parse(piped.stdout).session_id).toBe(one)
      expect(await home.drover(['resume', '--here', 'decade'], { cwd })).toMatchObject({
        code: 2,
        stderr: expect.stringContaining(
          '--here and session decade cannot be used together; leave one of them out, or add --last if "decade" is the text',
        ),
      })
      expect(await home.drover(['resume', '--last', '--here', 'decade'], { cwd })).toMatchObject({ code: 0 })
    },
  )

  it.runIf(IS_FULL)('is never one whose directory no longer exists', async () => {
    const good = await begin()
    for (const name of ['one', 'two']) {
      await begin([], home.folder(name))
      rmSync(join(home.path, name), { recursive: true })
    }
    const { stdout } = await home.drover(['resume', '--last', 'say more', '-o', 'json'])
    expect(JSON.parse(stdout).session_id).toBe(good)
    await home.drover(['sessions', 'delete', good])
    expect(await home.drover(['resume', '--last', 'say more'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('no session can be continued (the directory of 2 sessions no longer exists)'),
    })
  })

  it('is one of this agent with -b', async () => {
    const codex = await begin(['-b', 'codex'])
    await begin()
    const { stdout } = await home.drover(['resume', '--last', '-b', 'codex', 'say more', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ session_id: codex, backend: 'codex' })
  })

  it('is never one that cannot be resumed', async () => {
    const good = await begin()
    await home.drover(['first words'], { script: { crashAfter: 'start' } })
    const { stdout } = await home.drover(['resume', '--last', 'say more', '-o', 'json'])
    expect(JSON.parse(stdout).session_id).toBe(good)
  })

  it.each(
    firstOf(
      [
        ['no session to continue', ['resume', '--last', 'x'], 1, 'no session can be continued'],
        [
          'no session of that agent here',
          ['resume', '--last', '--here', '-b', 'codex', 'x'],
          1,
          'no session of codex in /',
        ],
        ['an unknown id', ['resume', 'abcd1234', 'x'], 1, 'no session abcd1234; drover sessions list shows the ids'],
        ['an id that is too short', ['resume', 'abc', 'x'], 2, 'give at least its first 4 characters'],
        ['a prompt instead of an id', ['resume', 'say more'], 2, '"say more" is not a session id; give an id'],
        ['the id of a run', ['resume', RUN_ID, 'x'], 2, `; to resume a run, use "drover protocol resume ${RUN_ID}"`],
        ['no session at all', ['resume'], 2, 'or --last for the latest session'],
        ['no prompt', ['resume', '--last'], 2, 'no prompt; give it'],
        ['an extra argument', ['resume', '--last', 'abcd1234', 'x'], 2, 'does not accept the argument "x"'],
      ],
      5,
    ),
  )('is refused: %s', async (_name, args, code, sentence) => {
    expect(await home.drover(args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(sentence) })
  })

  it('must belong to the agent of -b', async () => {
    const id = await begin()
    expect(await home.drover(['resume', id, 'x', '-b', 'codex'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--backend must be claude, the agent of the session'),
    })
  })

  it('is refused with the reason if the agent never reported an id', async () => {
    await home.drover(['first words'], { script: { crashAfter: 'start' } })
    const { sessions } = JSON.parse((await home.drover(['sessions', 'list', '--json'])).stdout)
    const args = ['resume', sessions[0].id, 'x', '-o', 'json']
    const [ran, dry] = [await home.drover(args), await home.drover([...args, '--dry-run'])]
    expect(ran).toMatchObject({ code: 1, stdout: '' })
    expect(dry).toEqual(ran)
    expect(JSON.parse(ran.stderr)).toMatchObject({
      error: 'session_not_resumable',
      message: expect.stringMatching(/cannot be resumed, because claude has no session to continue; to start a new/),
    })
  })

  it('is refused while another process uses it', async () => {
    const id = await begin()
    const pidFile = join(home.path, 'pids')
    const { child, ended } = home.start(['resume', id, 'say more'], { script: { hangAfter: 'init', pidFile } })
    await hangingAgent(pidFile)
    expect(await home.drover(['resume', id, 'me too'])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('a turn is running in session'),
    })
    child.kill('SIGINT')
    expect(await ended).toMatchObject({ code: 130 })
    expect(await show(id)).toMatchObject({ status: 'paused' })
  })

  it('is reported as lost with a remedy if the agent no longer has it', async () => {
    const id = await begin()
    rmSync(join(home.path, 'agents'), { recursive: true })
    const ran = await home.drover(['resume', id, 'x'])
    expect(ran.code).not.toBe(0)
    expect(ran.stderr).toMatch(
      new RegExp(`claude no longer has session ${id}; .*drover resume ${id.slice(0, 8)} --fork`),
    )
  })
})

describe('drover resume --fork', () => {
  it('starts a new session with the settings of the old one, and links it', async () => {
    const id = await begin(['-b', 'codex', '--access', 'workspace'], home.folder('project'))
    const { code, stdout, stderr } = await home.drover(['resume', id, '--fork', 'another way', '-o', 'json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { session_id: forked, output } = JSON.parse(stdout)
    expect(output).not.toContain('It continues session')
    expect(await show(forked)).toMatchObject({
      parent_id: id,
      backend: 'codex',
      working_dir: join(home.path, 'project'),
      initial_prompt: 'another way',
      turn_count: 1,
      policy: { sandbox_mode: 'workspace' },
    })
    expect(await show(id)).toMatchObject({ turn_count: 1 })
  })

  it('accepts a session that cannot be resumed', async () => {
    await home.drover(['first words'], { script: { crashAfter: 'start' } })
    expect(await home.drover(['resume', '--last', '--fork', 'once more'])).toMatchObject({ code: 0, stderr: '' })
  })
})

describe('drover resume --fork -b', () => {
  const KEPT = { DROVER_EXECUTIONS_KEEP: 'results' }
  const forkOf = (id: string, args: readonly string[]) => home.drover(['resume', id, '--fork', ...args], { env: KEPT })

  /** The shown command has the prompt as a word of bash. */
  const shown = ({ stdout }: { stdout: string }) => stdout.replaceAll('\\n', '\n')

  it('starts a session of another agent, which gets the conversation in front of the prompt', async () => {
    const env = { ...KEPT, DROVER_BACKENDS_CLAUDE_MODEL: 'opus' }
    const first = await home.drover(['first words', '-o', 'json', '--access', 'workspace'], {
      env,
      script: { text: ['An answer.'] },
    })
    const id: string = JSON.parse(first.stdout).session_id
    const dry = shown(await forkOf(id, ['-b', 'codex', 'another way', '--dry-run']))
    expect(dry).toContain('User:\n> first words\n\nclaude:\n> An answer.\n')
    expect(dry).toMatch(/----- end of conversation \w{16} -----\n\nanother way/)
    const { stdout, stderr } = await forkOf(id, ['-b', 'codex', 'another way', '-o', 'json'])
    expect(stderr).toBe('')
    const { session_id: forked, warnings } = JSON.parse(stdout)
    expect(warnings).toEqual([expect.stringMatching(/^sandbox_mode is workspace, as when the session was started/)])
    expect(await show(forked)).toMatchObject({
      backend: 'codex',
      parent_id: id,
      initial_prompt: 'another way',
      policy: { sandbox_mode: 'workspace' },
      turns: [{ prompt: 'another way' }],
    })
    expect((await show(forked)).policy).not.toHaveProperty('model')
    const again = shown(await forkOf(forked, ['-b', 'gemini', 'once more', '--dry-run']))
    expect(again).toMatch(/> first words.*> An answer\..*> another way.*codex:\n> .*once more/s)
    expect(again.match(/> first words/g)).toHaveLength(1)
  })

  it('says which turns are not kept', async () => {
    const id = await begin()
    await home.drover(['resume', id, 'second'], { env: KEPT })
    const { stdout } = await forkOf(id, ['-b', 'codex', 'say more', '-o', 'json'])
    expect(JSON.parse(stdout).warnings).toEqual(['1 turns of the conversation are not kept and were not sent'])
  })

  it('is refused without kept turns, and says how to keep them', async () => {
    const id = await begin()
    expect(await forkOf(id, ['-b', 'codex', 'say more'])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('set executions.keep to results or events'),
    })
    expect(await forkOf(id, ['-b', 'claude', 'say more'])).toMatchObject({ code: 0 })
  })

  it('is refused for a conversation with the demo agent', async () => {
    const demo = await home.drover(['first words', '-o', 'json', '--demo'], { env: { ...home.bare, ...KEPT } })
    const id = JSON.parse(demo.stdout).session_id
    const { stderr } = await forkOf(id, ['-b', 'codex', 'say more'])
    expect(stderr).toContain('belongs to the demo agent, and codex is installed now')
  })
})

describe('drover -c', () => {
  it('continues only the latest session of this directory', async () => {
    const one = await begin([], home.folder('one'))
    await begin([], home.folder('two'))
    const { stdout } = await home.drover(['-c', 'say more', '-o', 'json'], { cwd: join(home.path, 'one') })
    expect(JSON.parse(stdout)).toMatchObject({ session_id: one })
    expect((await show(one)).turn_count).toBe(2)
  })

  it('continues the latest one of an agent with -b', async () => {
    const codex = await begin(['-b', 'codex'])
    await begin()
    const { stdout } = await home.drover(['-c', '-b', 'codex', 'say more', '-o', 'json'])
    expect(JSON.parse(stdout)).toMatchObject({ session_id: codex, backend: 'codex' })
  })

  it.runIf(IS_FULL)('continues the latest one of the directory of -w', async () => {
    const one = await begin([], home.folder('one'))
    await begin()
    symlinkSync(join(home.path, 'one'), join(home.path, 'link'))
    for (const workdir of ['one', 'link']) {
      const { stdout } = await home.drover(['-c', '-w', workdir, 'say more', '-o', 'json'])
      expect(JSON.parse(stdout)).toMatchObject({ session_id: one })
    }
    expect(await home.drover(['-c', '-w', 'gone', 'say more'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('does not exist or is not a directory'),
    })
  })

  it('starts nothing when there is nothing to continue here', async () => {
    await begin([], home.folder('one'))
    const two = home.folder('two')
    expect(await home.drover(['-c', 'say more'], { cwd: two })).toEqual({
      code: 1,
      stdout: '',
      stderr: `drover: no session in ${two} can be continued; -c and --here continue the latest session of one directory, "drover resume ID" continues any session in "drover sessions list", and "drover resume --last" continues the latest of all\n`,
    })
  })
})

describe.skipIf(!hasTerminals)('drover resume on a terminal', () => {
  const start = (args: readonly string[] = [], env: Record<string, string> = {}) =>
    startOnTerminal(['resume', ...args], { cwd: home.path, env: { ...home.env, ...env }, columns: 200 })

  it.runIf(IS_FULL)('ends without an error if the shell has taken the terminal back', async () => {
    await begin()
    const terminal = startOnTerminal(['resume'], { cwd: home.path, env: home.env, isLost: true })
    const { seen } = await terminal.ended
    expect(leftOnScreen(seen)).toMatch(/^exit code 0$/m)
    expect(seen).not.toContain('EIO')
  })

  it.runIf(IS_FULL)('misses the prompt if the shell has taken the terminal back', async () => {
    await begin()
    const terminal = startOnTerminal(['resume', '--last'], { cwd: home.path, env: home.env, isLost: true })
    await terminal.shows('Prompt: ')
    terminal.type('more\r')
    const { seen } = await terminal.ended
    expect(seen).toMatch(/^Prompt: drover: no prompt; give it.*exit code 2$/ms)
  })

  it('shows a menu in which arrow keys and a filter choose a session', async () => {
    const first = await begin(['-b', 'codex'])
    await begin()
    await begin(['-b', 'gemini'])
    const terminal = start()
    await terminal.shows('3 of 3 sessions')
    expect(leftOnScreen(terminal.seen())).toMatch(
      / {2}ID +BACKEND +LAST USED +TITLE\n> [0-9a-f]{8} +gemini +just now +first words\n {2}[0-9a-f]{8} +claude /,
    )
    terminal.type('\u001b[B')
    await until(() => /\n> \w+ +claude .*\n {2}\w+ +codex/.test(leftOnScreen(terminal.seen())))
    terminal.type('codex')
    await terminal.shows('1 of 3 sessions, filter: codex')
    terminal.type('\r')
    await terminal.shows('Prompt: ')
    terminal.type('typed by hand\n')
    const { code, seen } = await terminal.ended
    expect(code).toBe(0)
    expect(leftOnScreen(seen)).toMatch(/^Session \w{8} \(codex\): first words\n.*Your prompt arrived: "typed by hand"/s)
    expect(await show(first)).toMatchObject({ turn_count: 2 })
  })

  it.runIf(IS_FULL)('asks for a number where lines cannot be redrawn', async () => {
    const first = await begin(['-b', 'codex'])
    await begin()
    const terminal = start([], { TERM: 'dumb' })
    await terminal.shows('Which session? (1-2, q to quit)')
    expect(terminal.seen()).toMatch(
      /# +ID +BACKEND +LAST USED +TITLE\n1 +[0-9a-f]{8} +claude +just now +first words\n2 /,
    )
    for (const wrong of ['0', '3', 'two', '']) {
      terminal.type(`${wrong}\n`)
      await terminal.shows(`"${wrong}" is not in the list. Enter a number from 1 to 2, or q: `)
    }
    terminal.type('2\n')
    await terminal.shows('Prompt: ')
    terminal.type('typed by hand\n')
    const { code, seen } = await terminal.ended
    expect(code).toBe(0)
    expect(seen).toContain('Your prompt arrived: "typed by hand"')
    expect(await show(first)).toMatchObject({ turn_count: 2 })
  })

  it.each(firstOf(['by its id', 'by --last']))('asks for the prompt of a session given %s', async (name) => {
    const id = await begin()
    const terminal = start([name === 'by its id' ? id.slice(0, 8) : '--last'])
    await terminal.shows('Prompt: ')
    terminal.type('typed by hand\n')
    expect((await terminal.ended).seen).toContain('Your prompt arrived: "typed by hand"')
    const stopped = start([id])
    await stopped.shows('Prompt: ')
    stopped.type('\n')
    expect(await stopped.ended).toMatchObject({ code: 2, seen: expect.stringContaining('no prompt; give it') })
  })

  it.each(
    firstOf([
      ['Escape', '\u001b', 0],
      ['Ctrl-D', '\u0004', 0],
      ['Ctrl-C', '\u0003', 130],
    ]),
  )('leaves the menu with %s, and nothing of it on the screen', async (_name, typed, code) => {
    await begin()
    const terminal = start()
    await terminal.shows('Esc quits')
    terminal.type(typed)
    const ended = await terminal.ended
    expect({ code: ended.code, screen: leftOnScreen(ended.seen).trim() }).toEqual({ code, screen: '' })
  })

  it.each(
    firstOf(
      [
        ['after a choice', '\r'],
        ['after Ctrl-C', '\u0003'],
        ['when it is killed', 'SIGTERM'],
      ],
      2,
    ),
  )('gives the terminal back as it was, %s', async (_name, typed) => {
    await begin()
    const settings = join(home.path, 'settings')
    const pidFile = join(home.path, 'pid')
    const drover = `sh -c 'echo $$ > ${pidFile}; exec "$0" "$1" resume' '${process.execPath}' '${DROVER}'`
    const line = `stty -a > ${settings}-1; ${drover}; stty -a > ${settings}-2`
    const child = spawn('script', ['-qec', line, '/dev/null'], { cwd: home.path, env: { TERM: 'xterm', ...home.env } })
    let seen = ''
    child.stdout.on('data', (text) => {
      seen += text
    })
    await until(() => seen.includes('Esc quits'))
    if (typed === 'SIGTERM') process.kill(Number(readFileSync(pidFile, 'utf8')), typed)
    else child.stdin.write(typed)
    if (typed === '\r') {
      await until(() => seen.includes('Prompt: '))
      child.stdin.write('say more\n')
    }
    await new Promise((resolve) => child.on('close', resolve))
    expect(readFileSync(`${settings}-2`, 'utf8')).toBe(readFileSync(`${settings}-1`, 'utf8'))
  })

  it('says when there is nothing to choose from', async () => {
    const { code, seen } = await start(['--here']).ended
    expect({ code, seen }).toEqual({ code: 1, seen: expect.stringContaining('can be continued') })
  })

  it.runIf(IS_FULL)('does not ask for a prompt that comes from a file', async () => {
    await begin()
    writeFileSync(join(home.path, 'task.md'), 'from a file')
    const terminal = start(['--file', 'task.md'])
    await terminal.shows('Esc quits')
    terminal.type('\r')
    expect((await terminal.ended).seen).toContain('Your prompt arrived: "from a file"')
  })
})
