import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { type AgentHome, createAgentHome, hangingAgent, type RunOptions } from '../support/agent-home.ts'
import { firstOf, IS_FULL } from '../support/full-counts.ts'
import { NOWHERE } from '../support/nowhere.ts'
import { hasTerminals, leftOnScreen, startOnTerminal } from '../support/on-terminal.ts'
import { isRunning } from '../support/test-command.ts'
import { until } from '../support/until.ts'

let home: AgentHome

beforeEach(() => {
  home = createAgentHome()
})

/** Writes the file and runs it. */
function parallel(content: unknown, args: readonly string[] = [], options: RunOptions = {}) {
  return home.drover(['parallel', '-f', write(content), ...args], options)
}

function write(content: unknown): string {
  const path = join(home.path, typeof content === 'string' ? 'tasks.yaml' : 'tasks.json')
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content))
  return path
}

async function report(content: unknown, args: readonly string[] = [], options: RunOptions = {}) {
  const { code, stdout, stderr } = await home.drover(['parallel', '-f', write(content), '--json', ...args], options)
  return { code, stderr, report: JSON.parse(stdout) }
}

const filesIn = (directory: string) => readdirSync(join(home.path, directory)).sort()
const readResult = (...path: string[]) => JSON.parse(readFileSync(join(home.path, ...path), 'utf8'))

const EXECUTION_ID = expect.stringMatching(/^exec_[0-9a-f]{24}$/)
const MOMENT = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/)

describe('drover parallel', () => {
  it('prints the report as JSON in the order of the tasks', async () => {
    const tasks = [
      { id: 'a-1', name: 'first', tags: ['x'], meta: { ticket: 7 }, prompt: 'one' },
      { backend: 'codex', prompt: 'two' },
    ]
    const ran = await report({ tasks })
    expect(ran).toEqual({
      code: 0,
      stderr: '',
      report: {
        execution_id: EXECUTION_ID,
        total_tasks: 2,
        completed: 2,
        failed: 0,
        canceled: 0,
        total_duration_seconds: expect.any(Number),
        start_time: MOMENT,
        end_time: MOMENT,
        results: [
          {
            index: 0,
            task_id: 'a-1',
            task_name: 'first',
            tags: ['x'],
            meta: { ticket: 7 },
            execution_id: EXECUTION_ID,
            session_id: '',
            backend: 'claude',
            model: 'demo',
            exit_code: 0,
            duration_ms: expect.any(Number),
            duration_seconds: expect.any(Number),
            start_time: MOMENT,
            end_time: MOMENT,
            output: expect.stringContaining('Your prompt arrived: "one"'),
            token_usage: expect.objectContaining({ input_tokens: expect.any(Number) }),
            usage: expect.objectContaining({ total_tokens: expect.any(Number) }),
            backend_session_id: expect.any(String),
          },
          expect.objectContaining({ index: 1, backend: 'codex', output: expect.stringContaining('"two"') }),
        ],
      },
    })
  })

  it('records no sessions', async () => {
    await parallel([{ prompt: 'one' }])
    expect((await home.drover(['sessions', 'list'])).stdout).toBe('No sessions found.\n')
  })

  it.each<[string, string[], string | undefined]>(
    firstOf(
      [
        ['JSON on standard input', [], '[{"prompt": "hello"}]'],
        ['YAML on standard input', [], '- prompt: hello\n'],
        ['standard input by its name', ['-f', '-'], 'tasks:\n  - prompt: hello\n'],
        ['a file with --input', ['--input', 'tasks.yaml'], undefined],
      ],
      2,
    ),
  )('reads %s', async (_name, args, input) => {
    write('- prompt: hello\n')
    const ran = await home.drover(['parallel', '--json', ...args], input === undefined ? {} : { input })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toMatchObject({ total_tasks: 1, completed: 1 })
  })

  it('prints outputs, a table and totals, and progress on stderr', async () => {
    const { code, stdout, stderr } = await parallel(
      '- {name: the first, prompt: one}\n- {backend: codex, prompt: please fail}\n',
    )
    expect(code).toBe(1)
    expect(stdout.replace(/[\d.]+ m?s/g, 'T')).toMatch(
      new RegExp(
        [
          '^\\[1\\] the first \\(claude\\)\nThis is .* "one"\n',
          '\\[2\\] please fail \\(codex\\)\nfailed: .*asks it to\n',
          '# {2}BACKEND {2}STATUS {2}DURATION {2}TOKENS {2}TASK',
          '1 {2}claude {3}OK .*the first',
          '2 {2}codex {4}FAILED .*please fail',
          '2 tasks: 1 completed, 1 failed; T, \\d+ tokens\n$',
        ].join('\n'),
      ),
    )
    expect(stderr).toContain('[1] started: the first (claude)\n')
    expect(stderr).toMatch(/\[1\] finished after \S+ m?s: the first \(claude\)\n/)
    expect(stderr).toMatch(/\[2\] failed after \S+ m?s: please fail \(codex\): .*asks it to\n/)
  })

  it('prints only the table with --quiet', async () => {
    const { stdout, stderr } = await parallel('- prompt: one\n', ['-q'])
    expect(stderr).toBe('')
    expect(stdout).toMatch(/^# {2}BACKEND/)
  })

  it('reports failures with --quiet too', async () => {
    const { stderr } = await parallel('- prompt: one\n- prompt: please fail\n', ['-q'])
    expect(stderr).toMatch(/^\[2\] failed after \S+ m?s: please fail \(claude\): .*asks it to\n$/)
    expect((await report([{ prompt: 'please fail' }], ['-q'])).stderr).toBe('')
  })

  it.runIf(IS_FULL)('prints outputs as they come and no table when parallel.aggregate_output is off', async () => {
    const env = { DROVER_PARALLEL_AGGREGATE_OUTPUT: 'false' }
    home.teach('claude', { text: ['slow'], delayMs: 2000 })
    home.teach('codex', { text: ['quick'] })
    const { stdout } = await parallel('- prompt: one\n- {prompt: two, backend: codex}\n', [], { env })
    expect(stdout).toMatch(/^\[2\] two \(codex\)\nquick\n\n\[1\] one \(claude\)\nslow\n\n2 tasks: 2 completed/)
  })

  it('takes empty fields of a file and --max-parallel 0 as not given', async () => {
    const empty = { prompt: 'one', model: '', workdir: '', max_turns: 0, extra: null }
    const { report: ran } = await report({ tasks: [empty], max_parallel: 0 }, ['--dry-run', '--max-parallel', '0'])
    expect(ran.results[0].output).toMatch(/^Would execute: /)
    expect(ran.results[0].output).not.toMatch(/--model|--max-turns/)
  })

  it('prints each warning once with its tasks', async () => {
    const { stderr } = await parallel('- {prompt: a, max_turns: 2}\n- {prompt: b, max_turns: 2}\n', [
      '-q',
      '-b',
      'codex',
    ])
    expect(stderr).toMatch(/^drover: warning: \[1\] \[2\] .*turns.*\n$/)
  })

  it('prints the commands with --dry-run', async () => {
    const dry = await report([{ prompt: 'one', dry_run: false }], ['--dry-run'], { env: home.bare })
    expect(dry.report.results).toMatchObject([
      { exit_code: 0, output: expect.stringMatching(/^Would execute: claude /) },
    ])
    const fromFile = await report({ tasks: [{ prompt: 'one' }], dry_run: true })
    expect(fromFile.report.results[0].output).toMatch(/^Would execute: /)
  })

  it('writes nothing in a dry run and says so', async () => {
    const dry = await parallel([{ prompt: 'one' }], ['--dry-run', '--output-dir', 'out', '-q'])
    expect(dry).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^\[1\] one \(claude\) in \/.*\nWould execute: /),
    })
    expect(dry.stdout).toContain(`in ${home.path}\n`)
    expect(dry.stderr).toBe(`Dry run: nothing was started, and nothing was written to ${join(home.path, 'out')}.\n`)
    const json = await report([{ prompt: 'one' }], ['--dry-run', '--output-dir', 'out'])
    expect(json.stderr).toBe('')
    expect(existsSync(join(home.path, 'out'))).toBe(false)
  })

  it.each<[string, unknown, Record<string, string>]>([
    ['each task is one', [{ prompt: 'one', dry_run: true }], {}],
    ['the config says so', [{ prompt: 'one' }], { DROVER_UNIFIED_FLAGS_DRY_RUN: 'true' }],
  ])('is a dry run when %s', async (_name, content, env) => {
    const { stderr } = await parallel(content, ['--output-dir', 'out'], { env })
    expect(stderr).toMatch(/^Dry run: nothing was started/)
    expect(existsSync(join(home.path, 'out'))).toBe(false)
  })

  it('uses the demo agent with --demo', async () => {
    const { report: made } = await report([{ prompt: 'one', backend: 'gemini' }], ['--demo'], { env: home.bare })
    expect(made.results[0].output).toContain('standing in for gemini')
  })

  it('fails only the task whose agent is not installed', async () => {
    const env = { DROVER_BACKENDS_CODEX_COMMAND: `${NOWHERE}/codex` }
    const ran = await report([{ prompt: 'one', backend: 'codex' }, { prompt: 'two' }], [], { env })
    expect(ran).toMatchObject({
      code: 1,
      report: {
        completed: 1,
        failed: 1,
        results: [{ exit_code: 1, error_code: 'backend_unavailable' }, { exit_code: 0 }],
      },
    })
  })
})

describe('a field that a task leaves out', () => {
  const dryRun = async (task: object, args: readonly string[], env = {}): Promise<string> => {
    const { report: made } = await report([{ prompt: 'one', ...task }], ['--dry-run', ...args], { env })
    return made.results[0].output
  }

  it.each<[string, string[], Record<string, string>, RegExp]>(
    firstOf(
      [
        ['the default agent', [], { DROVER_BACKEND: 'gemini' }, /gemini -o/],
        ['-b', ['-b', 'codex'], {}, /codex exec/],
        ['-m', ['-m', 'm-1'], {}, /--model m-1/],
        ['--approval', ['--approval', 'auto'], {}, /acceptEdits/],
        ['--access', ['--access', 'workspace', '-b', 'codex'], {}, /-s workspace-write/],
      ],
      3,
    ),
  )('comes from %s', async (_name, args, env, pattern) => {
    expect(await dryRun({}, args, env)).toMatch(pattern)
  })

  it('does not override a field of the task', async () => {
    const task = { backend: 'codex', model: 'm-2', sandbox_mode: 'read-only' }
    const line = await dryRun(task, ['-b', 'claude', '-m', 'm-1', '--access', 'full'])
    expect(line).toMatch(/codex exec .*-s read-only/)
    expect(line).toContain('m-2')
  })

  it('is the current directory or that of -w', async () => {
    const inner = home.folder('inner')
    const prompts = [{ prompt: 'one' }, { prompt: 'two', workdir: 'inner' }]
    const cwdOf = async (args: readonly string[]) => {
      await report(prompts, ['--output-dir', 'out', '--force', ...args])
      return readResult('out', '001_task-1.json').task.workdir
    }
    expect(await cwdOf([])).toBeUndefined()
    expect(readResult('out', '002_task-2.json').task.workdir).toBe(inner)
    expect(await cwdOf(['-w', 'inner'])).toBe(inner)
  })

  it('is the time of --timeout', async () => {
    const ran = await report([{ prompt: 'one' }], ['--timeout', '1'], { script: { hangAfter: 'init' } })
    expect(ran).toMatchObject({
      code: 1,
      report: { failed: 1, results: [{ exit_code: 124, error_code: 'agent_timeout' }] },
    })
  })
})

describe('the number of tasks at the same time', () => {
  const NAMES = ['one', 'two', 'three']

  /** The most tasks that ran at the same time, by what the results say of it. */
  async function most(args: readonly string[], file: object, env = {}): Promise<number> {
    const tasks = NAMES.map((prompt) => ({ prompt }))
    const { report: made } = await report({ tasks, ...file }, args, { script: { delayMs: 700 }, env })
    const spans: { start_time: string; end_time: string }[] = made.results
    return Math.max(
      ...spans.map(({ start_time: at }) => spans.filter((each) => each.start_time <= at && at < each.end_time).length),
    )
  }

  it.each<[string, string[], object, Record<string, string>, number]>(
    firstOf([
      ['comes from the config', [], {}, { DROVER_PARALLEL_MAX_WORKERS: '2' }, 2],
      ['comes from the file before the config', [], { max_parallel: 1 }, { DROVER_PARALLEL_MAX_WORKERS: '2' }, 1],
      ['comes from the flag before the file', ['--max-parallel', '3'], { max_parallel: 1 }, {}, 3],
    ]),
  )('%s', async (_name, args, file, env, count) => {
    expect(await most(args, file, env)).toBe(count)
  })
})

describe('a failure', () => {
  it.runIf(IS_FULL)('ends the other tasks with fail-fast from flag, file or config', async () => {
    const pidFile = join(home.path, 'pids')
    home.teach('claude', { hangAfter: 'init', pidFile })
    home.teach('codex', { delayMs: 1500, fail: 500 })
    const tasks = [{ prompt: 'hangs' }, { prompt: 'fails', backend: 'codex' }, { prompt: 'never begun' }]
    for (const [args, file, env] of [
      [['--fail-fast'], {}, {}],
      [[], { fail_fast: true }, {}],
      [[], {}, { DROVER_PARALLEL_FAIL_FAST: 'true' }],
    ] as const) {
      const ran = await report({ tasks, max_parallel: 2, ...file }, args, { env })
      expect(ran).toMatchObject({
        code: 1,
        report: {
          completed: 0,
          failed: 1,
          canceled: 2,
          results: [{ error_code: 'agent_cancelled' }, { backend: 'codex' }, { exit_code: -1, error: 'canceled' }],
        },
      })
      expect(isRunning(JSON.parse(readFileSync(pidFile, 'utf8')).agent)).toBe(false)
    }
  })

  it('ends no other task without fail-fast, and the file overrides the config', async () => {
    const tasks = [{ prompt: 'please fail' }, { prompt: 'two' }]
    const env = { DROVER_PARALLEL_FAIL_FAST: 'true' }
    const ran = await report({ tasks, fail_fast: false, max_parallel: 1 }, [], { env })
    expect(ran).toMatchObject({ code: 1, report: { completed: 1, failed: 1, canceled: 0 } })
  })
})

describe('an invalid file', () => {
  it.each<[string, string, string]>(
    firstOf(
      [
        ['that is empty', '', 'no tasks provided: '],
        ['without tasks', 'tasks: []\n', 'no tasks provided: '],
        ['with a task that has no prompt', 'tasks:\n  - name: a\n', ':2:5: $.tasks[0].prompt is required'],
        [
          'with an agent that does not exist',
          '- {prompt: a, backend: chatty}\n',
          ':1:3: $[0] cannot be run: no backend "chatty"; use claude, codex, gemini',
        ],
        [
          'with a directory that is not there',
          '- prompt: a\n- {prompt: b, workdir: gone}\n',
          ':2:3: $[1] cannot be run: the working directory',
        ],
        [
          'with an argument that is refused',
          '- {prompt: a, extra: [--dangerously-skip-permissions]}\n',
          ':1:3: $[0] cannot be run: "--dangerously-skip-permissions"',
        ],
        ['with a prompt of spaces', '- prompt: "  "\n', ':1:3: $[0] cannot be run: the prompt is empty'],
      ],
      4,
    ),
  )('%s is refused, and nothing is started', async (_name, text, sentence) => {
    const pidFile = join(home.path, 'pids')
    const { code, stdout, stderr } = await parallel(text, ['--output-dir', 'out'], { script: { pidFile } })
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) })
    expect(stderr).toContain('tasks.yaml')
    expect(existsSync(pidFile)).toBe(false)
    expect(existsSync(join(home.path, 'out'))).toBe(false)
  })

  it.each<[string, string | Buffer, string]>(
    firstOf(
      [
        ['that is not JSON', '{"tasks": [\n  {"prompt": }\n]}', 'tasks.json:2:14: the file is not valid JSON: '],
        ['with a key twice', '[{"prompt": "a",\n  "prompt": "b"}]', 'tasks.json:2:3: the file is not valid JSON: '],
        ['that is not UTF-8', Buffer.from([0x5b, 0xff, 0x5d]), 'tasks.json is not UTF-8 text'],
        ['that is too large', Buffer.alloc(16 * 1024 * 1024 + 1, 0x20), 'the limit is 16777216'],
      ],
      2,
    ),
  )('%s is refused with line and column', async (_name, content, sentence) => {
    writeFileSync(join(home.path, 'tasks.json'), content)
    const ran = await home.drover(['parallel', '-f', 'tasks.json'])
    expect(ran).toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining(sentence) })
    expect(ran.stderr).toMatch(/^drover: nothing was started: /)
  })

  it('is reported with one problem per line', async () => {
    const { stderr } = await parallel('- prompt: 1\n- promt: x\n')
    const path = join(home.path, 'tasks.yaml')
    expect(stderr.split('\n')).toEqual([
      'drover: nothing was started:',
      expect.stringContaining(`${path}:1:3: $[0].prompt `),
      expect.stringContaining(`${path}:2:3: $[1].pro`),
      expect.stringContaining(`${path}:2:3: $[1].pro`),
      expect.stringContaining('--help'),
      '',
    ])
  })

  it.each<[string, string, string[]]>(
    firstOf(
      [
        ['a YAML file', '- prompt: hello\n', ['-f', 'tasks.yaml']],
        ['a JSON file', '[{"prompt": "hello"}]', ['-f', 'tasks.json']],
        ['YAML on standard input', '- prompt: hello\n', []],
        ['JSON on standard input', '[{"prompt": "hello"}]', []],
      ],
      2,
    ),
  )('may start with a byte order mark: %s', async (_name, text, args) => {
    const marked = `\ufeff${text}`
    for (const name of ['tasks.yaml', 'tasks.json']) writeFileSync(join(home.path, name), marked)
    const { code, stdout } = await home.drover(['parallel', '--json', ...args], { input: marked })
    expect({ code, report: JSON.parse(stdout) }).toMatchObject({ code: 0, report: { completed: 1 } })
  })

  it('is reported with all problems as JSON', async () => {
    const ran = await parallel([{ prompt: 1 }, { promt: 'x' }], ['--json'])
    expect(ran).toMatchObject({ code: 2, stdout: '' })
    expect(JSON.parse(ran.stderr)).toMatchObject({
      error: 'task_file_invalid',
      details: {
        problems: [{ path: '$[0].prompt', line: 1, column: 3 }, { path: '$[1].prompt' }, { path: '$[1].promt' }],
      },
    })
  })

  it.each<[string, string[], number, string]>(
    firstOf(
      [
        ['missing', ['-f', 'gone.yaml'], 2, 'nothing was started: /'],
        ['a directory', ['-f', '.'], 2, 'is a directory, not a regular file; give the path of a file'],
        ['given as an empty value', ['-f', ''], 2, 'the value of -f is empty'],
        ['not given', [], 2, 'no tasks provided; give a file with --file FILE, or on standard input'],
        ['given twice', ['-f', 'a', '--input', 'b'], 2, '--file and --input cannot be used together'],
      ],
      3,
    ),
  )('is %s', async (_name, args, code, sentence) => {
    expect(await home.drover(['parallel', ...args])).toMatchObject({ code, stderr: expect.stringContaining(sentence) })
  })
})

describe('the output directory', () => {
  const TASKS = [
    { id: 'a/b c', prompt: 'one', backend: 'codex' },
    { name: 'naïve', prompt: 'please fail' },
    { prompt: 'three' },
  ]

  it('gets a private file for each task and a summary', async () => {
    const { report: made } = await report({ tasks: TASKS, output_dir: 'from-file' }, ['--output-dir', 'out/deep'])
    expect(filesIn('out/deep')).toEqual(['001_a_b_c.json', '002_na_ve.json', '003_task-3.json', 'summary.json'])
    expect(statSync(join(home.path, 'out', 'deep')).mode & 0o777).toBe(0o700)
    expect(statSync(join(home.path, 'out', 'deep', 'summary.json')).mode & 0o777).toBe(0o600)
    expect(readResult('out', 'deep', 'summary.json')).toEqual(made)
    expect(readResult('out', 'deep', '001_a_b_c.json')).toEqual({ task: TASKS[0], result: made.results[0] })
    expect(existsSync(join(home.path, 'from-file'))).toBe(false)
  })

  it('is named at the end, except with --quiet and --json', async () => {
    const { stderr } = await parallel([{ prompt: 'one' }], ['--output-dir', 'out'])
    expect(stderr).toMatch(new RegExp(`\nWrote 2 files to ${join(home.path, 'out')}\\.\n$`))
    expect((await parallel([{ prompt: 'one' }], ['--output-dir', 'out', '--force', '-q'])).stderr).toBe('')
    expect((await report([{ prompt: 'one' }], ['--output-dir', 'out', '--force'])).stderr).toBe('')
  })

  it('can be set in the file', async () => {
    await parallel({ tasks: [{ prompt: 'one' }], output_dir: 'from-file' })
    expect(filesIn('from-file')).toEqual(['001_task-1.json', 'summary.json'])
  })

  it.runIf(IS_FULL)('never mixes old and new results', async () => {
    await parallel(TASKS, ['--output-dir', 'out'])
    const again = await parallel([{ prompt: 'one' }], ['--output-dir', 'out'])
    expect(again).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('out already contains 4 result files'),
    })
    writeFileSync(join(home.path, 'out', 'notes.txt'), 'mine')
    expect(await parallel([{ prompt: 'one' }], ['--output-dir', 'out', '--force'])).toMatchObject({ code: 0 })
    expect(filesIn('out')).toEqual(['001_task-1.json', 'notes.txt', 'summary.json'])
  })

  it('keeps its permissions', async () => {
    mkdirSync(join(home.path, 'shared'), { mode: 0o755 })
    await parallel([{ prompt: 'one' }], ['--output-dir', 'shared'])
    expect(statSync(join(home.path, 'shared')).mode & 0o777).toBe(0o755)
  })

  it('must be a directory', async () => {
    writeFileSync(join(home.path, 'out'), '')
    expect(await parallel([{ prompt: 'one' }], ['--output-dir', 'out'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`results cannot be written to ${join(home.path, 'out')}: it is not a directory`),
    })
  })
})

describe('Ctrl-C', () => {
  it.runIf(IS_FULL)('ends all agents and prints the finished results', async () => {
    const pidFile = join(home.path, 'pids')
    home.teach('claude', { hangAfter: 'init', pidFile })
    home.teach('codex', { text: ['quick'] })
    const tasks = [{ prompt: 'a', backend: 'codex' }, { prompt: 'b' }, { prompt: 'c' }]
    const path = write({ tasks, max_parallel: 1 })
    const { child, ended } = home.start(['parallel', '-f', path, '--json', '--output-dir', 'out'])
    const agent = await hangingAgent(pidFile)
    expect(readResult('out', '001_task-1.json').result).toMatchObject({ output: 'quick' })
    expect(existsSync(join(home.path, 'out', '002_task-2.json'))).toBe(false)
    child.kill('SIGINT')
    const { code, stdout } = await ended
    expect(code).toBe(130)
    expect(JSON.parse(stdout)).toMatchObject({
      completed: 1,
      failed: 0,
      canceled: 2,
      results: [{ output: 'quick' }, { error_code: 'agent_cancelled' }, { error_code: 'canceled' }],
    })
    expect(isRunning(agent)).toBe(false)
    expect(filesIn('out')).toEqual(['001_task-1.json', '002_task-2.json', '003_task-3.json', 'summary.json'])
  })
})

describe.skipIf(!hasTerminals)('drover parallel on a terminal', () => {
  it.runIf(IS_FULL)('redraws a line per running task and leaves only the results', async () => {
    home.teach('claude', { text: ['done'], tool: 'sleep 0.5' })
    const path = write(
      'max_parallel: 2\ntasks:\n  - {name: alpha, prompt: a}\n  - {name: beta, prompt: b}\n  - {name: gamma, prompt: c}\n',
    )
    const terminal = startOnTerminal(['parallel', '-f', path], { cwd: home.path, env: home.env, columns: 70 })
    const { code, seen } = await terminal.ended
    expect(code).toBe(0)
    expect(seen).toMatch(/\[1\] {2}alpha {2}claude {2}\S+ m?s .*\n\[2\] {2}beta .*\n0 of 3 done, 2 running, 1 waiting/)
    expect(seen).toContain('Bash sleep 0.5')
    expect(leftOnScreen(seen)).toMatch(/^\[1\] alpha \(claude\)\n/)
    expect(leftOnScreen(seen)).not.toContain('running')
  })

  it.runIf(IS_FULL)('shows that text arrives and estimates its tokens', async () => {
    const permits = join(home.path, 'permits')
    writeFileSync(permits, '..')
    home.teach('claude', { text: ['some words ', 'more words ', 'and the rest'], permits })
    const path = write('- {name: alpha, prompt: a}\n')
    const terminal = startOnTerminal(['parallel', '-f', path], { cwd: home.path, env: home.env })
    await until(() => / {2}~6 tok {2}answering/.test(terminal.seen()))
    writeFileSync(permits, '...')
    expect(await terminal.ended).toMatchObject({ code: 0 })
  })

  it.runIf(IS_FULL)('leaves a line for a task that failed', async () => {
    home.teach('codex', { fail: 500 })
    const path = write('- {name: alpha, prompt: a, backend: codex}\n')
    const { seen } = await startOnTerminal(['parallel', '-f', path], { cwd: home.path, env: home.env }).ended
    expect(leftOnScreen(seen)).toMatch(/^\[1\] failed after \S+ m?s: alpha \(codex\): .+\n\[1\] alpha \(codex\)\n/)
  })

  it.runIf(IS_FULL)('writes plain lines on a terminal that cannot redraw', async () => {
    const env = { ...home.env, TERM: 'dumb' }
    const { seen } = await startOnTerminal(['parallel', '-f', write('- prompt: a\n')], { cwd: home.path, env }).ended
    expect(seen).toMatch(/^\[1\] started: a \(claude\)\n/)
    expect(seen).not.toContain('\u001b')
    const { seen: answer } = await startOnTerminal(['say hello'], { cwd: home.path, env }).ended
    expect(answer).not.toContain('\u001b')
  })

  it.runIf(IS_FULL)('never draws more lines than the terminal has', async () => {
    home.teach('claude', { hangAfter: 'init' })
    const path = write(Array.from({ length: 5 }, (_, at) => ({ name: `task ${at}`, prompt: 'x' })))
    const args = ['parallel', '-f', path, '--max-parallel', '5', '--json']
    const terminal = startOnTerminal(args, { cwd: home.path, env: home.env, rows: 4 })
    await until(() => terminal.seen().split('0 of 5 done, 5 running').length > 4)
    expect(terminal.seen()).toContain('\u001b[3A')
    expect(terminal.seen()).not.toContain('\u001b[4A')
    expect(terminal.seen()).toMatch(/\[1\] {2}task 0 .*\nand 4 more\S*\n0 of 5 done/)
    terminal.type('\u0003')
    const { code, seen } = await terminal.ended
    expect(code).toBe(130)
    expect(JSON.parse(leftOnScreen(seen))).toMatchObject({ canceled: 5 })
  })
})
