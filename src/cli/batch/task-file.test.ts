import { describe, expect, it } from 'vitest'
import { Fault } from '../../kit/fault.ts'
import { validateChainFile, validateParallelFile } from './checks.generated.js'
import { checkTasks, isParallelFile, looksLikeJson, parseTaskText } from './task-file.ts'

const SHAPES = {
  tasks: { noun: 'tasks', validate: validateParallelFile },
  steps: { noun: 'steps', validate: validateChainFile },
} as const

function check(text: string, { isJson = false, noun = 'tasks' }: { isJson?: boolean; noun?: 'tasks' | 'steps' } = {}) {
  return checkTasks(parseTaskText({ source: 'batch', bytes: Buffer.from(text), isJson }), SHAPES[noun])
}

function refusal(text: string, options: Parameters<typeof check>[1] = {}): string {
  try {
    check(text, options)
  } catch (error) {
    if (error instanceof Fault) return error.message
    throw error
  }
  return 'taken'
}

describe('isParallelFile', () => {
  it.each([
    ['- prompt: one\n- prompt: two\n', true],
    ['tasks:\n  - prompt: one\n    backend: codex\n', true],
    ['[{ "prompt": "one" }]', true],
    ['Write a task file with a prompt: it has a list.\n', false],
    ['steps:\n  - prompt: one\n', false],
    ['- prompt: one\n  chek: x\n', false],
    ['prompt: "one\n', false],
  ])('takes only a whole and valid task file for one: %j', async (text, is) => {
    expect(await isParallelFile(text)).toBe(is)
  })
})

describe('a task file', () => {
  const TASKS = { tasks: [{ prompt: 'a' }, { prompt: 'b', backend: 'codex', meta: { ticket: 7.5 } }] }

  it('may be YAML', () => {
    const text = 'tasks:\n  - prompt: a\n  - prompt: b\n    backend: codex\n    meta: {ticket: 7.5}\n'
    expect(check(text).content).toEqual(TASKS)
  })

  it('may be JSON', () => {
    expect(check(JSON.stringify(TASKS), { isJson: true }).content).toEqual(TASKS)
  })

  it('may be only a list', () => {
    expect(check('- prompt: a\n').content).toEqual({ tasks: [{ prompt: 'a' }] })
    expect(check('[{"prompt": "a"}]', { isJson: true }).content).toEqual({ tasks: [{ prompt: 'a' }] })
  })

  it('may use all fields of a prompt', () => {
    const task = {
      id: 'a-1',
      name: 'first',
      tags: ['x'],
      meta: { deep: { list: [1, null] } },
      backend: 'claude',
      prompt: 'hello',
      model: 'm',
      workdir: '.',
      approval_mode: 'auto',
      sandbox_mode: 'read-only',
      max_tokens: 5,
      max_turns: 2,
      system_prompt: 's',
      verbose: true,
      extra: ['--effort=high'],
      timeout_secs: 9,
      ephemeral: true,
      output_format: 'json',
      metadata: { a: 'b' },
      dry_run: true,
    }
    const file = { tasks: [task], max_parallel: 4, fail_fast: true, output_dir: 'out', dry_run: false }
    expect(check(JSON.stringify(file), { isJson: true }).content).toEqual(file)
  })

  it.each(['', ' \n', '[]', '{}', 'tasks: []', 'tasks:', 'tasks: null\nmax_parallel: 2', '# nothing\n'])(
    'is refused without tasks: %j',
    (text) => {
      expect(refusal(text)).toBe('no tasks provided: batch contains none')
    },
  )

  it.each([
    ['a missing prompt', 'tasks:\n  - backend: claude\n', 'batch:2:5: $.tasks[0].prompt is required'],
    [
      'an unknown field',
      '- prompt: a\n  promt: b\n',
      'batch:2:3: $[0].promt is not a known field (did you mean "prompt"?)',
    ],
    [
      'a mistyped list',
      'task:\n  - prompt: a\n',
      'batch:1:1: $.tasks is required\nbatch:1:1: $.task is not a known field (did you mean "tasks"?)',
    ],
    ['an agent without a name', '- {prompt: a, backend: ""}\n', 'batch:1:15: $[0].backend must not be empty'],
    ['a wrong type', '- prompt: 5\n', 'batch:1:3: $[0].prompt must be a string'],
    ['no list at all', 'tasks: hello\n', 'batch:1:1: $.tasks must be an array'],
    ['a text instead of a file', 'hello there', 'batch:1:1: $ must be an object'],
    ['wrong YAML', 'tasks:\n\t- prompt: a\n', 'batch:2:1: a tab cannot indent; use spaces'],
    ['the same key twice', '- prompt: a\n  prompt: b\n', 'batch:2:3: the same key appears twice; remove one'],
    ['an alias to nothing', '- prompt: *x\n', 'batch: an alias (*) has no anchor (&) before it'],
    [
      'two documents',
      '- prompt: a\n---\n- prompt: b\n',
      'batch:2:1: a second document starts here; the file must contain one',
    ],
  ])('is refused with line and column for %s', (_name, text, message) => {
    expect(refusal(text).replace(/^nothing was started:\s/, '')).toBe(message)
  })

  it('reports line and column in JSON too', () => {
    const text = '{\n  "tasks": [\n    { "prompt": "a" },\n    { "prompt": "b", "max_turns": -1 }\n  ]\n}'
    expect(refusal(text, { isJson: true })).toContain('batch:4:22: $.tasks[1].max_turns must be at least 1')
  })

  it('is strict about JSON', () => {
    expect(refusal('[{"prompt": "a", "prompt": "b"}]', { isJson: true })).toMatch(
      /^nothing was started: batch:1:18: the file is not valid JSON: /,
    )
    expect(refusal('[{"prompt": "a"},]', { isJson: true })).toMatch(/^nothing was started: batch:1:18: /)
  })

  it('lists up to twenty problems in the order of the file', () => {
    const message = refusal('- {}\n'.repeat(21))
    expect(message).toMatch(/^nothing was started:\nbatch:1:3: \$\[0\]\.prompt is required\nbatch:2:3/)
    expect(message).toMatch(/\nbatch:20:3: .*\nand 1 more$/)
  })

  it.each([
    [1000, 'taken'],
    [1001, 'nothing was started: batch:1:1: $ must have at most 1000 items'],
  ])('may contain a thousand tasks: %i', (count, outcome) => {
    expect(refusal('- prompt: a\n'.repeat(count))).toBe(outcome)
  })

  it('can be refused later with the position of a task', () => {
    const { refuse } = check('tasks:\n  - prompt: a\n  - prompt: b\n')
    expect(refuse([{ path: '$.tasks[1]', rule: 'cannot be run' }]).message).toBe(
      'nothing was started: batch:3:5: $.tasks[1] cannot be run',
    )
  })
})

describe('a chain file', () => {
  it('may be only a list', () => {
    expect(check('- {name: one, prompt: a}\n- prompt: "{{previous}}"\n', { noun: 'steps' }).content).toEqual({
      steps: [{ name: 'one', prompt: 'a' }, { prompt: '{{previous}}' }],
    })
  })

  it.each(['', '[]', 'steps: []'])('is refused without steps: %j', (text) => {
    expect(refusal(text, { noun: 'steps' })).toBe('no steps defined: batch contains none')
  })

  it.each([
    [100, 'taken'],
    [101, 'nothing was started: batch:1:1: $ must have at most 100 items'],
  ])('may contain a hundred steps: %i', (count, outcome) => {
    expect(refusal('- prompt: a\n'.repeat(count), { noun: 'steps' })).toBe(outcome)
  })

  it('has no session fields', () => {
    expect(refusal('- {prompt: a, metadata: {}}\n', { noun: 'steps' })).toContain('$[0].metadata is not a known field')
  })
})

describe('looksLikeJson', () => {
  it.each([
    ['[{}]', true],
    ['\n  {"tasks": []}', true],
    ['tasks: []', false],
    ['- prompt: a', false],
    ['', false],
  ])('returns for %j: %s', (text, isJson) => {
    expect(looksLikeJson(Buffer.from(text))).toBe(isJson)
  })
})
