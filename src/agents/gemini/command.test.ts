import { describe, expect, it } from 'vitest'
import { agentRequest } from '../../../test/support/agent-request.ts'
import type { AgentRequest, ApprovalMode, SandboxMode } from '../adapter/agent.ts'
import { buildCommand } from '../build-command.ts'
import { toGeminiCleanUp } from './command.ts'

const NO_USER = 'approval_mode always: gemini runs without a user to ask, so everything that needs approval is denied'
const noSandbox = (mode: string) =>
  `sandbox_mode ${mode} is enforced by gemini itself, not by an operating system sandbox`
const givesWay = (lax: string, strict: string) => `${lax} is ignored: ${strict} is stricter`

function command(over: Partial<AgentRequest> = {}) {
  return buildCommand(agentRequest('gemini', over))
}

function argvWith(mode: string, ...rest: string[]) {
  const policy = mode === 'yolo' ? [] : ['--admin-policy', '/scratch/gemini-policy.toml']
  return ['/bin/agent', '-o', 'stream-json', '--approval-mode', mode, ...policy, ...rest]
}

describe('the modes of gemini', () => {
  it.each<[ApprovalMode, string, string[]]>([
    ['default', 'default', []],
    ['auto', 'auto_edit', []],
    ['none', 'yolo', []],
    ['always', 'default', [NO_USER]],
  ])('approval %s', (approvalMode, mode, warnings) => {
    expect(command({ approvalMode })).toMatchObject({ argv: argvWith(mode), warnings })
  })

  it.each<[SandboxMode, string, string[]]>([
    ['default', 'default', []],
    ['read-only', 'plan', [noSandbox('read-only')]],
    ['workspace', 'auto_edit', [noSandbox('workspace')]],
    ['full', 'yolo', []],
  ])('sandbox %s', (sandboxMode, mode, warnings) => {
    expect(command({ sandboxMode })).toMatchObject({ argv: argvWith(mode), warnings })
  })

  it.each<[ApprovalMode, SandboxMode, string, string[]]>([
    ['auto', 'read-only', 'plan', [noSandbox('read-only'), givesWay('approval_mode auto', 'sandbox_mode read-only')]],
    ['auto', 'workspace', 'auto_edit', [noSandbox('workspace')]],
    ['auto', 'full', 'auto_edit', [givesWay('sandbox_mode full', 'approval_mode auto')]],
    ['none', 'read-only', 'plan', [noSandbox('read-only'), givesWay('approval_mode none', 'sandbox_mode read-only')]],
    [
      'none',
      'workspace',
      'auto_edit',
      [noSandbox('workspace'), givesWay('approval_mode none', 'sandbox_mode workspace')],
    ],
    ['none', 'full', 'yolo', []],
    [
      'always',
      'read-only',
      'plan',
      [NO_USER, noSandbox('read-only'), givesWay('approval_mode always', 'sandbox_mode read-only')],
    ],
    [
      'always',
      'workspace',
      'default',
      [NO_USER, noSandbox('workspace'), givesWay('sandbox_mode workspace', 'approval_mode always')],
    ],
    ['always', 'full', 'default', [NO_USER, givesWay('sandbox_mode full', 'approval_mode always')]],
  ])('approval %s and sandbox %s', (approvalMode, sandboxMode, mode, warnings) => {
    expect(command({ approvalMode, sandboxMode })).toMatchObject({ argv: argvWith(mode), warnings })
  })

  it('cannot be left through a plan', () => {
    const path = '/scratch/gemini-policy.toml'
    const content = '[[rule]]\ntoolName = ["enter_plan_mode", "exit_plan_mode"]\ndecision = "deny"\npriority = 999\n'
    expect(command().files).toEqual([{ path, content }])
    expect(command({ approvalMode: 'auto' }).files).toEqual([{ path, content }])
    expect(command({ approvalMode: 'none' }).files).toEqual([])
  })

  it('deny all writing tools in read-only mode', () => {
    const [file] = command({ sandboxMode: 'read-only' }).files
    expect(file?.content).toBe(
      [
        '[[rule]]',
        'toolName = ["enter_plan_mode", "exit_plan_mode", "run_shell_command", "write_file", "replace", "save_memory"]',
        'decision = "deny"',
        'priority = 999',
        '',
        '[[rule]]',
        'toolName = "*"',
        'mcpName = "*"',
        'decision = "deny"',
        'priority = 999',
        '',
      ].join('\n'),
    )
  })
})

describe('the command for gemini', () => {
  it('contains every option of the request, in a fixed order', () => {
    const request = {
      model: 'gemini-2.5-pro',
      resumeId: '01234567-89ab-cdef-0123-456789abcdef',
      approvalMode: 'none',
      systemPrompt: 'Be brief.',
      isVerbose: true,
      isEphemeral: true,
      wantsDeltas: true,
      extra: ['--extensions', 'none'],
    } as const
    expect(command(request)).toEqual({
      argv: argvWith(
        'yolo',
        ...['--model', 'gemini-2.5-pro'],
        ...['--resume', '01234567-89ab-cdef-0123-456789abcdef'],
        '--debug',
        ...['--extensions', 'none'],
      ),
      env: {
        DROVER_DEPTH: '1',
        GEMINI_TELEMETRY_ENABLED: 'false',
        GEMINI_CLI_NO_RELAUNCH: 'true',
        GEMINI_CLI_TRUST_WORKSPACE: 'true',
        TMPDIR: '/scratch/tmp',
      },
      temporaryDirectory: '/scratch/tmp',
      stdin: '<system>\nBe brief.\n</system>\n\nsay hello',
      files: [],
      warnings: [],
    })
  })

  it('warns about options that gemini does not have', () => {
    expect(command({ maxTurns: 3, isVerbose: true, allowedTools: 'Bash' }).warnings).toEqual([
      'max_turns is ignored: gemini has no flag for it',
      'allowed_tools is ignored: gemini has no flag for it',
    ])
  })

  it('names the policy file in a dry run, and writes none', () => {
    const { argv, files } = command({ isDryRun: true })
    expect(argv.slice(-2)).toEqual(['--admin-policy', '<scratch>/gemini-policy.toml'])
    expect(files).toEqual([])
  })

  it('passes no flag as a model or a session', () => {
    expect(command({ model: '--yolo' }).argv).toEqual(argvWith('default', '--model=--yolo'))
    expect(() => command({ resumeId: '--yolo' })).toThrow(expect.objectContaining({ code: 'agent_session_id_invalid' }))
  })

  it('that deletes a session names it', () => {
    const id = '01234567-89ab-cdef-0123-456789abcdef'
    expect(toGeminiCleanUp(id, agentRequest('gemini'))).toMatchObject({
      argv: ['/bin/agent', '--delete-session', id],
      env: { GEMINI_CLI_NO_RELAUNCH: 'true' },
      stdin: '',
    })
  })

  it('gives gemini its own temporary directory', () => {
    const { env, temporaryDirectory } = command({ env: { TMPDIR: '/tmp' } })
    expect([env['TMPDIR'], temporaryDirectory]).toEqual(['/scratch/tmp', '/scratch/tmp'])
  })
})

describe('the prompt for gemini', () => {
  it.each(['-x', '!ls', '#note', '?', '$HOME', ' /help', 'at @ noon', 'a \\@b', 'end@'])(
    'goes as it is: %j',
    (prompt) => {
      expect(command({ prompt }).stdin).toBe(prompt)
    },
  )

  it.each(['/help', '/memory add x', '//'])('gets a line break in front of a possible command: %j', (prompt) => {
    expect(command({ prompt }).stdin).toBe(`\n${prompt}`)
  })

  it.each([
    ['see @notes.txt', 'see \\@notes.txt'],
    ['mail a@b.com, @c', 'mail a\\@b.com, \\@c'],
    ['/x @y', '/x \\@y'],
    ['@@x', '\\@\\@x'],
  ])('gets its at signs escaped, with a note for the model: %j', (prompt, escaped) => {
    expect(command({ prompt }).stdin).toBe(`(In this message \\@ stands for a plain at sign.)\n\n${escaped}`)
  })

  it('may have 8 MiB', () => {
    const limit = 8 * 1024 * 1024
    expect(command({ prompt: 'x'.repeat(limit) }).stdin).toHaveLength(limit)
    expect(() => command({ prompt: `/${'x'.repeat(limit - 1)}` })).toThrow(
      expect.objectContaining({ code: 'prompt_too_large' }),
    )
  })
})

describe('the command for gemini that ignores the project', () => {
  const env = { HOME: '/home/me', GEMINI_API_KEY: 'mine' }
  const userSettings = {
    security: { auth: { selectedType: 'gemini-api-key' } },
    context: { fileName: ['A.md', 'B.md'] },
  }
  const surroundings = {
    instructions: 'Use tabs.',
    userSettings,
    variables: { GEMINI_API_KEY: 'of the file', HTTPS_PROXY: 'http://proxy' },
    homeEntries: ['oauth_creds.json', 'settings.json', 'tmp'],
  }
  const request = { ignoresProject: true, env, surroundings }

  it('does not trust the working directory, and has a home with the files of the user', () => {
    const { argv, env: given, files, links } = command({ ...request, approvalMode: 'auto' })
    expect(argv).toEqual(argvWith('default'))
    expect(given).toMatchObject({
      ...{ HOME: '/home/me', GEMINI_CLI_HOME: '/scratch/home', GEMINI_CLI_TRUST_WORKSPACE: 'false' },
      ...{ GEMINI_API_KEY: 'mine', HTTPS_PROXY: 'http://proxy' },
    })
    expect(files.slice(1)).toEqual([
      { path: '/scratch/home/.gemini/settings.json', content: expect.any(String) },
      { path: '/scratch/home/.gemini/project-instructions.md', content: 'Use tabs.' },
    ])
    expect(JSON.parse(String(files[1]?.content))).toEqual({
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      advanced: { ignoreLocalEnv: true },
      context: { fileName: ['A.md', 'B.md', 'project-instructions.md'] },
    })
    const link = (name: string, isDirectory: boolean) => ({
      ...{ path: `/scratch/home/.gemini/${name}`, target: `/home/me/.gemini/${name}`, isDirectory },
    })
    expect(links).toEqual([link('oauth_creds.json', false), link('tmp', true), link('history', true)])
  })

  it('has no files in a dry run', () => {
    expect(command({ ...request, isDryRun: true })).toMatchObject({ files: [] })
  })

  it('does not trust the working directory either when it deletes a session', () => {
    const { env: given } = toGeminiCleanUp('x', agentRequest('gemini', request))
    expect(given).toMatchObject({ GEMINI_CLI_TRUST_WORKSPACE: 'false' })
  })
})
