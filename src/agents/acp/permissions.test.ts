import { describe, expect, it } from 'vitest'
import type { Permission } from '../adapter/permission.ts'
import { answerPermission, CANCELLED, decideAlone, isInside, type Verdict } from './permissions.ts'

describe('what drover allows without a user', () => {
  const ALL: Permission[] = ['read-only', 'ask', 'edit', 'everything']
  const EDITS: Permission[] = ['edit', 'everything']

  it.each<[object, (Permission | undefined)[]]>([
    [{ kind: 'read' }, [undefined, ...ALL]],
    [{ kind: 'search' }, [undefined, ...ALL]],
    [{ kind: 'edit', locations: [{ path: '/work/a' }] }, EDITS],
    [{ kind: 'delete', locations: [{ path: '/work/a' }] }, EDITS],
    [{ kind: 'move', locations: [{ path: '/work/a' }, { path: '/work/b' }] }, EDITS],
    [{ kind: 'move', locations: [{ path: '/work/a' }, { path: '/b' }] }, ['everything']],
    [{ kind: 'edit', locations: [{ path: '/work/.gitignore' }] }, EDITS],
    [{ kind: 'edit', locations: [{ path: '/work/.git/config' }] }, ['everything']],
    [{ kind: 'move', locations: [{ path: '/work/a' }, { path: '/work/.GIT/hooks/a' }] }, ['everything']],
    [{ kind: 'read', locations: [{ path: '/etc/passwd' }] }, [undefined, 'read-only', 'ask', 'everything']],
    [{ kind: 'execute' }, ['everything']],
    [{ kind: 'fetch' }, ['everything']],
    [{}, ['everything']],
  ])('%j', (call, permissions) => {
    const facts = { call: { ...call }, workdir: '/work', isLimited: false, profile: {}, staysInside: true }
    for (const permission of [undefined, ...ALL]) {
      const other = permission === 'read-only' ? 'deny' : 'ask'
      expect(decideAlone({ ...facts, permission })).toBe(permissions.includes(permission) ? 'allow' : other)
    }
  })

  it('includes edits in additional directories', () => {
    const facts = {
      workdir: '/work',
      additionalDirectories: ['/more'],
      isLimited: false,
      profile: {},
      staysInside: true,
    }
    const decide = (path: string) =>
      decideAlone({ ...facts, permission: 'edit', call: { kind: 'edit', locations: [{ path }] } })
    expect(['/more/a', '/more/../a', '/more/.git/config'].map(decide)).toEqual(['allow', 'ask', 'ask'])
  })

  it('does not include what a link leads to outside of the working directory', () => {
    const facts = { call: { kind: 'read' }, workdir: '/work', isLimited: true, profile: {}, staysInside: false }
    expect(decideAlone({ ...facts, permission: 'edit' })).toBe('ask')
    expect(decideAlone({ ...facts, permission: 'read-only' })).toBe('deny')
  })
})

describe('a command that the caller allows', () => {
  it.each<[object, boolean]>([
    [{ kind: 'execute', rawInput: { command: 'npm test' } }, true],
    [{ kind: 'execute', title: 'npm test' }, true],
    [{ kind: 'execute', rawInput: { command: 'git status' } }, true],
    [{ kind: 'execute', rawInput: { command: 'npm test; rm -rf .' } }, false],
    [{ kind: 'execute', rawInput: { command: 'npm test', env: { PATH: '.' } } }, false],
    [{ kind: 'execute', rawInput: { command: ['npm', 'test'] } }, false],
    [{ kind: 'fetch', rawInput: { command: 'npm test' } }, false],
  ])('%j: %s', (call, isAllowed) => {
    const facts = { call: { ...call }, workdir: '/work', isLimited: false, profile: {}, staysInside: true }
    const decide = (permission: Permission, allowedCommands?: string[]) =>
      decideAlone({ ...facts, permission, allowedCommands })
    expect(decide('edit', ['npm test'])).toBe(isAllowed ? 'allow' : 'ask')
    expect([decide('edit'), decide('ask', ['npm test']), decide('read-only', ['npm test'])]).toEqual([
      'ask',
      'ask',
      'deny',
    ])
  })
})

describe('what drover allows under a ceiling', () => {
  it.each<[object, boolean]>([
    [{ kind: 'read', locations: [{ path: '/work/a' }] }, true],
    [{ kind: 'search' }, true],
    [{ kind: 'read', locations: [{ path: '/home/me/.drover/sessions.db' }] }, false],
    [{ kind: 'search', rawInput: { directory: '/home/me' } }, false],
    [{ kind: 'read', rawInput: { files: [{ path: '/work/a' }] } }, true],
    [{ kind: 'read', rawInput: { files: [{ path: '/work/a' }, { path: '/home/me/.drover/sessions.db' }] } }, false],
    [{ kind: 'read', rawInput: { id: 1 } }, false],
  ])('%j: %s', (call, allowed) => {
    for (const permission of ['read-only', 'ask', 'edit'] as const) {
      const facts = { call: { ...call }, permission, workdir: '/work', isLimited: true, profile: {}, staysInside: true }
      expect(decideAlone(facts) === 'allow').toBe(allowed)
    }
  })
})

describe('a path is in the working directory', () => {
  it.each<[string, boolean]>([
    ['/work', true],
    ['/work/a', true],
    ['/work/..a', true],
    ['/work/a/../b', true],
    ['/work/a~b:c', true],
    ['file:///work/a', true],
    ['a', true],
    ['a/../b', true],
    ['..a', true],
    ['/', false],
    ['/work2/a', false],
    ['/work/../etc', false],
    ['..', false],
    ['../a', false],
    ['a/../../b', false],
    ['file:///etc/passwd', false],
    ['a/file://../../b', true],
    ['~/a', false],
    ['https://example.com/', false],
    ['HTTPS://example.com/', false],
  ])('%s: %s', (path, inside) => {
    expect(isInside(path, '/work')).toBe(inside)
  })
})

describe('the answer to a request for permission', () => {
  const options = ['allow_always', 'allow_once', 'allow_once', 'reject_always', 'reject_once'].map((kind, at) => ({
    kind,
    optionId: `${kind} ${at}`,
  }))

  it.each<[Verdict, readonly object[], string | undefined]>([
    ['allow', options, 'allow_once 1'],
    ['allow_session', options, 'allow_always 0'],
    ['deny', options, 'reject_once 4'],
    ['allow', options.slice(0, 1), 'allow_always 0'],
    ['allow_session', options.slice(1), 'allow_once 1'],
    ['deny', options.slice(0, 4), 'reject_always 3'],
    ['deny', options.slice(0, 3), undefined],
    ['allow', [], undefined],
  ])('%s', (verdict, offered, optionId) => {
    const answer = answerPermission({ options: [...offered] }, verdict)
    expect(answer).toEqual(optionId === undefined ? CANCELLED : { outcome: { outcome: 'selected', optionId } })
  })
})

describe('a function of the client', () => {
  it.each<[object, boolean]>([
    [{ title: 'add (client MCP Server)' }, true],
    [{ kind: 'other', title: 'mcp__client__add' }, true],
    [{ title: 'mcp__client__remove' }, false],
    [{ title: 'mcp__others__add' }, false],
    [{ kind: 'execute', title: 'add client' }, false],
    [{ kind: 'edit', title: 'client add' }, false],
  ])('%j is allowed: %s', (call, isAllowed) => {
    const facts = { call: { ...call }, workdir: '/work', isLimited: true, profile: {}, staysInside: true }
    const clientTools = [{ name: 'add', parameters: {} }]
    const verdict = isAllowed ? 'allow' : 'deny'
    expect(decideAlone({ ...facts, permission: 'read-only', clientTools })).toBe(verdict)
    expect(decideAlone({ ...facts, permission: 'read-only' })).toBe('deny')
  })
})

describe('a tool of an MCP server that needs no approval', () => {
  it.each([
    [{ kind: 'other', name: 'mcp__docs__search' }, true],
    [{ kind: 'other', title: 'docs_search' }, true],
    [{ kind: 'other', title: 'docs: search' }, true],
    [{ kind: 'other', title: 'docs_search in the words of a model' }, false],
    [{ kind: 'other', title: 'docsearch' }, false],
    [{ kind: 'other', title: 'run docs_search' }, false],
    [{ kind: 'other', title: 'mcp__other__docs_search' }, false],
    [{ kind: 'execute', title: 'docs_search' }, false],
  ])('%j is allowed: %s', (call, isAllowed) => {
    const facts = { call: { ...call }, workdir: '/work', isLimited: true, profile: {}, staysInside: true }
    const verdict = isAllowed ? 'allow' : 'deny'
    expect(decideAlone({ ...facts, permission: 'read-only', trusted: ['docs'] })).toBe(verdict)
    expect(decideAlone({ ...facts, permission: 'read-only' })).toBe('deny')
  })
})
