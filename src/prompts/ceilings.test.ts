import { describe, expect, it } from 'vitest'
import { agentRequest } from '../../test/support/agent-request.ts'
import {
  APPROVAL_MODES,
  type ApprovalMode,
  NATIVE_BACKENDS,
  SANDBOX_MODES,
  type SandboxMode,
} from '../agents/adapter/agent.ts'
import { buildCommand } from '../agents/build-command.ts'
import {
  type Ceilings,
  confineDefault,
  findMissingLimit,
  isLimiting,
  lowerModes,
  refuseAboveCeilings,
  refuseBackend,
} from './ceilings.ts'

type Modes = { approvalMode: ApprovalMode; sandboxMode: SandboxMode }

const APPROVAL = ['always', 'auto', 'none', undefined] as const
const SANDBOX = ['read-only', 'workspace', 'full', undefined] as const

const toCeilings = (approval: (typeof APPROVAL)[number], sandbox: (typeof SANDBOX)[number]): Ceilings => ({
  ...(approval !== undefined && { approval: { mode: approval, setting: 'server.max_approval_mode' } }),
  ...(sandbox !== undefined && { sandbox: { mode: sandbox, setting: 'server.max_sandbox_mode' } }),
})

const EVERY_CEILING = APPROVAL.flatMap((approval) => SANDBOX.map((sandbox) => [approval, sandbox] as const))
const EVERY_MODE = APPROVAL_MODES.flatMap((approvalMode) =>
  SANDBOX_MODES.map((sandboxMode): Modes => ({ approvalMode, sandboxMode })),
)

/** What an agent may do without asking: read, what it may do by default, edit, everything. */
const LEVEL_OF_FLAG: Record<string, number> = {
  ...{ acceptEdits: 2, bypassPermissions: 3 },
  ...{ 'read-only': 0, 'workspace-write': 2, 'danger-full-access': 3 },
  ...{ plan: 0, default: 1, auto_edit: 2, yolo: 3 },
}

function levelOf(backend: (typeof NATIVE_BACKENDS)[number], modes: Modes): number {
  const { argv } = buildCommand(agentRequest(backend, modes))
  if (argv.includes('--disallowedTools')) return 0
  const flags = ['--permission-mode', '-s', '--approval-mode'].map((name) => argv[argv.indexOf(name) + 1] ?? '')
  return flags.map((value) => LEVEL_OF_FLAG[value]).find((each) => each !== undefined) ?? 1
}

describe('lowerModes', () => {
  it.each(EVERY_CEILING)('holds every agent below the approval %s and the sandbox %s', (approval, sandbox) => {
    const limits = [
      approval && { always: 1, auto: 2, none: 3 }[approval],
      sandbox && { 'read-only': 0, workspace: 2, full: 3 }[sandbox],
    ]
    const limit = Math.min(...limits.map((each) => each ?? 3))
    for (const backend of NATIVE_BACKENDS) {
      for (const modes of EVERY_MODE) {
        const lowered = levelOf(backend, lowerModes(modes, toCeilings(approval, sandbox)))
        // The boundary keeps it to its directory, whatever it may run there.
        const isConfined =
          modes.approvalMode === 'sandboxed' && sandbox === 'workspace' && (approval ?? 'none') === 'none'
        expect(lowered, `${backend} ${JSON.stringify(modes)}`).toBeLessThanOrEqual(isConfined ? 3 : limit)
        expect(lowered, `${backend} ${JSON.stringify(modes)}`).toBeLessThanOrEqual(levelOf(backend, modes))
      }
    }
  })

  it('changes no modes that are not above a ceiling', () => {
    for (const [approval, sandbox] of EVERY_CEILING) {
      for (const modes of EVERY_MODE) {
        const once = lowerModes(modes, toCeilings(approval, sandbox))
        expect(lowerModes(once, toCeilings(approval, sandbox))).toEqual(once)
      }
    }
    for (const modes of EVERY_MODE) expect(lowerModes(modes, {})).toEqual(modes)
  })

  it.each<[ApprovalMode, SandboxMode, Ceilings, ApprovalMode, SandboxMode]>([
    ['none', 'default', toCeilings('auto', undefined), 'auto', 'default'],
    ['default', 'default', toCeilings('auto', 'workspace'), 'default', 'default'],
    ['none', 'default', toCeilings(undefined, 'workspace'), 'none', 'workspace'],
    ['sandboxed', 'default', toCeilings(undefined, 'workspace'), 'sandboxed', 'default'],
    ['sandboxed', 'full', toCeilings('none', 'workspace'), 'sandboxed', 'full'],
    ['sandboxed', 'workspace', toCeilings(undefined, 'workspace'), 'sandboxed', 'workspace'],
    ['sandboxed', 'default', toCeilings(undefined, 'read-only'), 'sandboxed', 'read-only'],
    ['sandboxed', 'default', toCeilings('auto', 'workspace'), 'auto', 'default'],
    ['default', 'default', toCeilings(undefined, 'read-only'), 'default', 'read-only'],
    ['default', 'full', toCeilings('auto', undefined), 'default', 'workspace'],
    ['default', 'full', toCeilings('always', undefined), 'default', 'read-only'],
    ['always', 'read-only', toCeilings('none', 'full'), 'always', 'read-only'],
  ])('lowers approval %s and sandbox %s', (approvalMode, sandboxMode, ceilings, approval, sandbox) => {
    const lowered = { approvalMode: approval, sandboxMode: sandbox }
    expect(lowerModes({ approvalMode, sandboxMode }, ceilings)).toEqual(lowered)
  })
})

describe('confineDefault', () => {
  it.each<[ApprovalMode, SandboxMode, Ceilings, ApprovalMode, SandboxMode]>([
    ['default', 'default', toCeilings('auto', 'workspace'), 'auto', 'workspace'],
    ['default', 'default', toCeilings('always', undefined), 'always', 'default'],
    ['default', 'default', toCeilings(undefined, 'read-only'), 'default', 'read-only'],
    ['always', 'default', toCeilings('auto', 'workspace'), 'always', 'default'],
    ['default', 'read-only', toCeilings('auto', 'workspace'), 'default', 'read-only'],
  ])('makes of approval %s and sandbox %s', (approvalMode, sandboxMode, ceilings, approval, sandbox) => {
    const confined = { approvalMode: approval, sandboxMode: sandbox }
    expect(confineDefault({ approvalMode, sandboxMode }, ceilings)).toEqual(confined)
  })
})

describe('findMissingLimit', () => {
  const approval = (mode: 'always' | 'auto' | 'none') => ({ approval: { mode, setting: 'approval' } })
  const sandbox = (mode: 'read-only' | 'workspace' | 'full') => ({ sandbox: { mode, setting: 'sandbox' } })
  const servers = (...names: string[]) => ({ mcpServers: { names, setting: 'servers' } })
  const directories = (...paths: string[]) => ({ directories: { paths, setting: 'directories' } })
  const [boundary, tools] = [{ boundary: { setting: 'boundary' } }, { tools: { setting: 'tools' } }]

  it.each<[Ceilings | undefined, Ceilings | undefined, string | undefined]>([
    [undefined, undefined, undefined],
    [undefined, { ...boundary, ...tools }, undefined],
    [approval('auto'), undefined, 'approval'],
    [approval('auto'), approval('none'), 'approval'],
    [approval('auto'), approval('auto'), undefined],
    [approval('auto'), approval('always'), undefined],
    [sandbox('read-only'), sandbox('workspace'), 'sandbox'],
    [sandbox('workspace'), sandbox('read-only'), undefined],
    [sandbox('read-only'), approval('always'), 'sandbox'],
    [boundary, tools, 'boundary'],
    [boundary, boundary, undefined],
    [tools, boundary, 'tools'],
    [tools, tools, undefined],
    [servers(), undefined, 'servers'],
    [servers(), approval('auto'), undefined],
    [servers('docs'), servers('docs', 'files'), 'servers'],
    [servers('docs', 'files'), servers('docs'), undefined],
    [approval('auto'), { ...approval('auto'), ...servers('docs') }, 'approval'],
    [sandbox('full'), sandbox('full'), undefined],
    [directories('/srv'), undefined, 'directories'],
    [directories('/srv'), directories('/srv/a', '/srv'), undefined],
    [directories('/'), directories('/srv/a'), undefined],
    [directories('/srv/a'), directories('/srv/ab'), 'directories'],
    [directories('/srv/a'), directories('/srv/a', '/srv/b'), 'directories'],
    [{ backends: { names: ['codex'], setting: 'backends' } }, undefined, undefined],
  ])('of %j for what was started with %j is %s', (own, others, expected) => {
    expect(findMissingLimit(own, others)?.setting).toBe(expected)
  })
})

describe('isLimiting', () => {
  it('is true unless every ceiling is the highest', () => {
    for (const [approval, sandbox] of EVERY_CEILING) {
      const isFree = (approval ?? 'none') === 'none' && (sandbox ?? 'full') === 'full'
      expect(isLimiting(toCeilings(approval, sandbox))).toBe(!isFree)
    }
  })
})

describe('refuseAboveCeilings', () => {
  type Modes = { approval_mode?: ApprovalMode; sandbox_mode?: SandboxMode }
  const problemOf = (asked: Modes, ceilings?: Ceilings, ...place: string[]) => {
    try {
      refuseAboveCeilings(asked, ceilings, ...place)
      return undefined
    } catch (error) {
      return (error as Error).message
    }
  }

  it.each<[{ approval_mode?: ApprovalMode; sandbox_mode?: SandboxMode }, Ceilings | undefined, string | undefined]>([
    [{ approval_mode: 'none', sandbox_mode: 'full' }, undefined, undefined],
    [{}, toCeilings('always', 'read-only'), undefined],
    [{ approval_mode: 'default', sandbox_mode: 'default' }, toCeilings('always', 'read-only'), undefined],
    [{ approval_mode: 'always' }, toCeilings('always', undefined), undefined],
    [
      { approval_mode: 'auto' },
      toCeilings('always', undefined),
      '$.approval_mode is auto, but server.max_approval_mode allows at most always; ask for always, or remove the field',
    ],
    [{ approval_mode: 'auto' }, toCeilings('auto', undefined), undefined],
    [
      { approval_mode: 'none' },
      toCeilings('auto', undefined),
      '$.approval_mode is none, but server.max_approval_mode allows at most auto; ask for auto, or remove the field',
    ],
    [{ approval_mode: 'none' }, toCeilings('none', 'full'), undefined],
    [{ approval_mode: 'sandboxed', sandbox_mode: 'full' }, toCeilings(undefined, 'workspace'), undefined],
    [
      { approval_mode: 'sandboxed', sandbox_mode: 'full' },
      toCeilings(undefined, 'read-only'),
      '$.sandbox_mode is full, but server.max_sandbox_mode allows at most read-only; ask for less, or remove the field',
    ],
    [
      { approval_mode: 'sandboxed', sandbox_mode: 'full' },
      toCeilings('auto', 'workspace'),
      '$.approval_mode is sandboxed, but server.max_approval_mode allows at most auto; ask for auto, or remove the field',
    ],
    [
      { approval_mode: 'none', sandbox_mode: 'full' },
      toCeilings(undefined, 'workspace'),
      '$.sandbox_mode is full, but server.max_sandbox_mode allows at most workspace; ask for less, or remove the field',
    ],
    [{ approval_mode: 'none' }, toCeilings(undefined, 'read-only'), undefined],
    [{ sandbox_mode: 'read-only' }, toCeilings('always', 'read-only'), undefined],
    [
      { sandbox_mode: 'workspace' },
      toCeilings(undefined, 'read-only'),
      '$.sandbox_mode is workspace, but server.max_sandbox_mode allows at most read-only; ask for less, or remove the field',
    ],
    [{ sandbox_mode: 'workspace' }, toCeilings(undefined, 'workspace'), undefined],
    [
      { sandbox_mode: 'full' },
      toCeilings(undefined, 'workspace'),
      '$.sandbox_mode is full, but server.max_sandbox_mode allows at most workspace; ask for less, or remove the field',
    ],
    [
      { sandbox_mode: 'full' },
      toCeilings('auto', undefined),
      '$.sandbox_mode is full, but server.max_approval_mode allows at most auto; ask for less, or remove the field',
    ],
    [
      { approval_mode: 'auto', sandbox_mode: 'full' },
      toCeilings('auto', 'full'),
      '$.sandbox_mode is full, but server.max_approval_mode allows at most auto; ask for less, or remove the field',
    ],
    [{ sandbox_mode: 'workspace' }, toCeilings('auto', undefined), undefined],
  ])('checks %j against %j', (asked, ceilings, problem) => {
    expect(problemOf(asked, ceilings, '$')).toBe(problem)
  })

  it.each<[Modes, Ceilings, string]>([
    [
      { sandbox_mode: 'workspace' },
      toCeilings(undefined, 'read-only'),
      'agents that change files need the sandbox mode workspace here, but server.max_sandbox_mode allows at most read-only; the operator can allow more',
    ],
    [
      { approval_mode: 'none', sandbox_mode: 'full' },
      toCeilings('auto', undefined),
      'agents that change files need the approval mode none here, but server.max_approval_mode allows at most auto; ask for the approval_mode auto, or let the operator allow more',
    ],
  ])('names no field for %j, which the request does not have, against %j', (asked, ceilings, problem) => {
    expect(problemOf(asked, ceilings)).toBe(problem)
  })

  it('lets no accepted request give an agent more than the ceilings allow', () => {
    for (const [approval, sandbox] of EVERY_CEILING) {
      const ceilings = toCeilings(approval, sandbox)
      for (const { approvalMode, sandboxMode } of EVERY_MODE) {
        const asked = { approval_mode: approvalMode, sandbox_mode: sandboxMode }
        if (problemOf(asked, ceilings, '$') !== undefined) continue
        const { approvalMode: kept, sandboxMode: confined } = lowerModes({ approvalMode, sandboxMode }, ceilings)
        // What a request names is not changed; only a sandbox that it leaves open is.
        expect(kept).toBe(approvalMode)
        if (sandboxMode !== 'default') expect(confined).toBe(sandboxMode)
      }
    }
  })
})

it.each<[string, string, Ceilings | undefined, string | undefined]>([
  ['any one without ceilings', 'claude', undefined, undefined],
  ['any one under another ceiling', 'claude', toCeilings('auto', 'workspace'), undefined],
  ['one that the key has', 'codex', { backends: { names: ['codex'], setting: 'backends of the key ci' } }, undefined],
  [
    'not one that it does not have',
    'claude',
    { backends: { names: ['codex', 'gemini'], setting: 'backends of the key ci' } },
    'the agent "claude" cannot be used: backends of the key ci does not have it; use codex, gemini',
  ],
  [
    'not one whose name only begins the same',
    'codex2',
    { backends: { names: ['codex'], setting: 'backends of the key ci' } },
    'the agent "codex2" cannot be used: backends of the key ci does not have it; use codex',
  ],
])('a caller may use %s', (_, backend, ceilings, message) => {
  const use = () => refuseBackend(backend, ceilings)
  if (message === undefined) expect(use).not.toThrow()
  else expect(use).toThrow(message)
})
