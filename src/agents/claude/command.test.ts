import { describe, expect, it } from 'vitest'
import { agentRequest } from '../../../test/support/agent-request.ts'
import type { AgentRequest, ApprovalMode, SandboxMode } from '../adapter/agent.ts'
import { NO_SURROUNDINGS } from '../adapter/surroundings.ts'
import { buildCommand } from '../build-command.ts'

const ALWAYS = ['/bin/agent', '-p', '--output-format', 'stream-json', '--verbose']
const ASKING = ['--permission-mode', 'default']
const NO_WRITING = [
  ...ASKING,
  '--disallowedTools',
  'Bash,PowerShell,Monitor,REPL,Edit,Write,NotebookEdit,EnterWorktree,ExitWorktree,CronCreate,CronDelete,ScheduleWakeup,Workflow,mcp__*',
]
const WORKING = 'Bash,Edit,Write,NotebookEdit,Read,Glob,Grep,WebFetch,WebSearch,Skill,Task,Workflow'
const EDITS = ['--permission-mode', 'acceptEdits']
const EVERYTHING = ['--permission-mode', 'bypassPermissions']

const NO_USER = 'approval_mode always: claude runs without a user to ask, so everything that needs approval is denied'
const ROOT =
  'claude does not skip permission checks for root, so only its own tools are allowed; others, such as those of MCP servers, are denied'
const noSandbox = (mode: string) =>
  `sandbox_mode ${mode} is enforced by claude itself, not by an operating system sandbox`
const givesWay = (lax: string, strict: string) => `${lax} is ignored: ${strict} is stricter`

function command(over: Partial<AgentRequest> = {}) {
  return buildCommand(agentRequest('claude', over))
}

describe('the modes of claude', () => {
  it.each<[ApprovalMode, string[], string[]]>([
    ['default', [], []],
    ['auto', EDITS, []],
    ['none', EVERYTHING, []],
    ['always', ASKING, [NO_USER]],
  ])('approval %s', (approvalMode, flags, warnings) => {
    expect(command({ approvalMode })).toMatchObject({ argv: [...ALWAYS, ...flags], warnings })
  })

  it.each<[SandboxMode, string[], string[]]>([
    ['default', [], []],
    ['read-only', NO_WRITING, [noSandbox('read-only')]],
    ['workspace', EDITS, [noSandbox('workspace')]],
    ['full', EVERYTHING, []],
  ])('sandbox %s', (sandboxMode, flags, warnings) => {
    expect(command({ sandboxMode })).toMatchObject({ argv: [...ALWAYS, ...flags], warnings })
  })

  it.each<[ApprovalMode, SandboxMode, string[], string[]]>([
    [
      'auto',
      'read-only',
      NO_WRITING,
      [noSandbox('read-only'), givesWay('approval_mode auto', 'sandbox_mode read-only')],
    ],
    ['auto', 'workspace', EDITS, [noSandbox('workspace')]],
    ['auto', 'full', EDITS, [givesWay('sandbox_mode full', 'approval_mode auto')]],
    [
      'none',
      'read-only',
      NO_WRITING,
      [noSandbox('read-only'), givesWay('approval_mode none', 'sandbox_mode read-only')],
    ],
    ['none', 'workspace', EDITS, [noSandbox('workspace'), givesWay('approval_mode none', 'sandbox_mode workspace')]],
    ['none', 'full', EVERYTHING, []],
    [
      'always',
      'read-only',
      NO_WRITING,
      [NO_USER, noSandbox('read-only'), givesWay('approval_mode always', 'sandbox_mode read-only')],
    ],
    [
      'always',
      'workspace',
      ASKING,
      [NO_USER, noSandbox('workspace'), givesWay('sandbox_mode workspace', 'approval_mode always')],
    ],
    ['always', 'full', ASKING, [NO_USER, givesWay('sandbox_mode full', 'approval_mode always')]],
  ])('approval %s and sandbox %s', (approvalMode, sandboxMode, flags, warnings) => {
    expect(command({ approvalMode, sandboxMode })).toMatchObject({ argv: [...ALWAYS, ...flags], warnings })
  })

  it.each<[ApprovalMode, SandboxMode]>([
    ['none', 'default'],
    ['default', 'full'],
  ])('as root, approval %s and sandbox %s allow the tools by name', (approvalMode, sandboxMode) => {
    const { argv, warnings } = command({ approvalMode, sandboxMode, isRoot: true })
    expect(argv).toEqual([...ALWAYS, ...ASKING, '--allowedTools', WORKING])
    expect(warnings).toEqual([ROOT])
  })

  it('as root with IS_SANDBOX=1 are the usual ones', () => {
    const root = { isRoot: true, env: { IS_SANDBOX: '1' } }
    expect(command({ approvalMode: 'none', ...root })).toMatchObject({ argv: [...ALWAYS, ...EVERYTHING], warnings: [] })
  })

  it.each([
    ['Bash(git *),Edit', {}, false, ['--allowedTools', 'Bash(git *),Edit']],
    ['all', {}, false, []],
    ['', {}, false, []],
    ['mcp__x__y', { approvalMode: 'none' }, true, [...ASKING, '--allowedTools', `mcp__x__y,${WORKING}`]],
    ['Bash', { sandboxMode: 'read-only' }, false, [...NO_WRITING, '--allowedTools', 'Bash']],
  ] as const)('with the list of tools %j', (allowedTools, modes, isRoot, flags) => {
    expect(command({ allowedTools, ...modes, isRoot }).argv).toEqual([...ALWAYS, ...flags])
  })

  it('with commands that the caller allows, exactly and only if it may edit', () => {
    const allowedCommands = ['npm test', 'a, b']
    const { argv } = command({ allowedCommands, approvalMode: 'auto' })
    expect(argv[argv.indexOf('--allowedTools') + 1]).toMatch(
      /^Bash\(npm test\),Bash\(git status\),(?:Bash\(git [\w -]+\),?)+$/,
    )
    for (const approvalMode of ['default', 'always'] as const)
      expect(command({ allowedCommands, approvalMode }).argv).not.toContain('--allowedTools')
    const readOnly = command({ allowedCommands, approvalMode: 'auto', sandboxMode: 'read-only' })
    expect(readOnly.argv).not.toContain('--allowedTools')
  })
})

describe('the command for claude', () => {
  it('contains every option of the request, in a fixed order', () => {
    const request = {
      model: 'opus',
      resumeId: '01234567-89ab-cdef-0123-456789abcdef',
      approvalMode: 'auto',
      maxTurns: 3,
      systemPrompt: 'Be brief.',
      isEphemeral: true,
      isVerbose: true,
      wantsDeltas: true,
      extra: ['--effort', 'low'],
    } as const
    expect(command(request)).toEqual({
      argv: [
        ...ALWAYS,
        '--include-partial-messages',
        ...['--model', 'opus'],
        ...['--resume', '01234567-89ab-cdef-0123-456789abcdef'],
        ...EDITS,
        ...['--max-turns', '3'],
        ...['--system-prompt-file', '/scratch/system-prompt.txt'],
        '--no-session-persistence',
        ...['--effort', 'low'],
      ],
      env: {
        DROVER_DEPTH: '1',
        DISABLE_AUTOUPDATER: '1',
        DISABLE_TELEMETRY: '1',
        DISABLE_ERROR_REPORTING: '1',
        CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
      },
      stdin: 'say hello',
      files: [{ path: '/scratch/system-prompt.txt', content: 'Be brief.' }],
      warnings: [],
    })
  })

  it('ends with what keeps the settings of the project out, and its instructions in', () => {
    const { argv, env } = command({ ignoresProject: true, extra: ['--setting-sources', 'project'] })
    expect(argv).toEqual([
      ...ALWAYS,
      ...['--setting-sources', 'project'],
      ...['--strict-mcp-config', '--add-dir', '/workspace', '--setting-sources', 'user'],
    ])
    expect(env).toMatchObject({ CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD: '1' })
    expect(command().env).not.toHaveProperty('CLAUDE_CODE_ADDITIONAL_DIRECTORIES_CLAUDE_MD')
  })

  it('names the mode under a ceiling, and only settings of the user that allow nothing', () => {
    const limited = { ignoresProject: true, isLimited: true }
    const user = {
      ...{ env: { A: 'b' }, apiKeyHelper: './key', model: 'opus', hooks: { Stop: [] }, enabledPlugins: { p: true } },
      permissions: { allow: ['Bash(*)'], deny: ['Read(.env)'], ask: [], defaultMode: 'acceptEdits' },
    }
    const surroundings = { ...NO_SURROUNDINGS, userSettings: user }
    const { argv, files } = command({ ...limited, surroundings, closedFiles: ['/home/me/.drover'] })
    const path = '/scratch/claude-settings.json'
    const deny = ['Read(.env)', 'Read(//home/me/.drover)', 'Read(//home/me/.drover/**)']
    const without = ['--strict-mcp-config', '--add-dir', '/workspace', '--setting-sources=']
    expect(argv).toEqual([...ALWAYS, ...ASKING, ...without, '--settings', path])
    expect(files.map((file) => [file.path, JSON.parse(String(file.content))])).toEqual([
      [path, { env: { A: 'b' }, apiKeyHelper: './key', model: 'opus', permissions: { deny } }],
    ])
    const shown = command({ ...limited, isDryRun: true })
    expect([shown.argv.at(-1), shown.files]).toEqual(['<scratch>/claude-settings.json', []])
  })

  it('has neither built-in tools nor other MCP servers if they are switched off', () => {
    const { argv } = command({ withoutTools: true })
    expect(argv.slice(argv.indexOf('--tools'))).toEqual(['--tools', '', '--strict-mcp-config'])
  })

  it('contains the system prompt itself in a dry run', () => {
    const { argv, files } = command({ systemPrompt: 'Be brief.', isDryRun: true })
    expect(argv).toEqual([...ALWAYS, '--system-prompt', 'Be brief.'])
    expect(files).toEqual([])
  })

  it('contains no blank system prompt', () => {
    expect(command({ systemPrompt: ' \n' })).toMatchObject({ argv: ALWAYS, files: [] })
  })

  it('passes no flag as a model', () => {
    expect(command({ model: '--dangerously-skip-permissions' }).argv).toEqual([
      ...ALWAYS,
      '--model=--dangerously-skip-permissions',
    ])
  })

  it.each(['--continue', '-c', '', 'latest', '1', 'a b', '../x', `${'0'.repeat(8)}-0000-4000-8000-${'0'.repeat(13)}`])(
    'cannot be given %j as a session',
    (resumeId) => {
      expect(() => command({ resumeId })).toThrow(expect.objectContaining({ code: 'agent_session_id_invalid' }))
    },
  )
})

describe('the prompt for claude', () => {
  it.each(['-x', '!ls', '#note', '?', '$HOME', 'a/b', 'a@example.com', 'two\nlines\n'])(
    'goes as it is: %j',
    (prompt) => {
      expect(command({ prompt })).toMatchObject({ argv: ALWAYS, stdin: prompt })
    },
  )

  it.each(['/help', ' \n/compact', 'see @notes.txt', '@/etc/passwd', '"@', '。@x'])(
    'goes as a message with a block after it, so that nothing in it is taken for more than text: %j',
    (prompt) => {
      const { argv, stdin } = command({ prompt })
      expect(argv).toEqual(['/bin/agent', '-p', '--input-format', 'stream-json', ...ALWAYS.slice(2)])
      expect(stdin.endsWith('}\n')).toBe(true)
      expect(JSON.parse(stdin)).toEqual({
        type: 'user',
        message: {
          role: 'user',
          content: [
            { type: 'text', text: prompt },
            { type: 'text', text: '' },
          ],
        },
      })
    },
  )

  it('is checked, and so is the system prompt', () => {
    expect(() => command({ prompt: ' \n' })).toThrow(expect.objectContaining({ code: 'prompt_empty' }))
    expect(() => command({ systemPrompt: 'a\0b' })).toThrow(
      expect.objectContaining({
        code: 'prompt_not_text',
        details: { part: 'system prompt', problem: 'contains a NUL character' },
      }),
    )
  })
})
