import { describe, expect, it } from 'vitest'
import { Fault } from '../../kit/fault.ts'
import { type Caller, USER } from '../../prompts/caller.ts'
import type { Ceilings } from '../../prompts/ceilings.ts'
import type { WorkAct } from '../act/act-on-run.ts'
import type { DrivenRecord } from '../record/driven-record.shape.ts'
import {
  chooseApproval,
  chooseRepository,
  refuseAct,
  refuseForeignIssue,
  refuseLimited,
  refuseOptions,
  type ServedSettings,
  toStarter,
} from './client-rules.ts'

const settings = (drive: object) =>
  ({ drive: { checks: [], deliver: 'branch', ...drive } }) as unknown as ServedSettings

function codeOf(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    if (error instanceof Fault) return error.code
    throw error
  }
}

describe('the repository of a client', () => {
  const resolve = (path: string) => ({ '/a': '/a', '/b': '/b', '/link': '/a', '/a/../c': '/c' })[path]

  it.each<[string | undefined, string[], string]>([
    ['/a', ['/a'], '/a'],
    ['/link', ['/a'], '/a'],
    ['/a', ['/link'], '/a'],
    ['/b', ['/a', '/b'], '/b'],
    [undefined, ['/a'], '/a'],
    [undefined, ['/a', '/b'], 'drive_repository_required'],
    [undefined, [], 'drive_repository_not_named'],
    ['/b', ['/a'], 'drive_repository_not_named'],
    ['/a/../c', ['/a'], 'drive_repository_not_named'],
    ['/gone', ['/gone'], 'drive_repository_not_named'],
  ])('%s with %j is %s', (wanted, repositories, expected) => {
    expect(codeOf(() => chooseRepository(wanted, settings({ repositories }), { resolve }))).toBe(expected)
  })

  it('that is not named counts once the server has been restarted', () => {
    expect(() => chooseRepository('/b', settings({ repositories: ['/a'] }), { resolve })).toThrow(
      'add the root of the repository to the setting drive.repositories, and restart the server',
    )
  })

  it.each<[string | undefined, string[], string[], string]>([
    ['/a', ['/a', '/b'], ['/a'], '/a'],
    ['/link', ['/a'], ['/link'], '/a'],
    ['/b', ['/a', '/b'], ['/a'], 'workdir_not_allowed'],
    ['/b', ['/a'], ['/b'], 'drive_repository_not_named'],
    [undefined, ['/a', '/b'], ['/b'], '/b'],
    [undefined, ['/a'], ['/link'], '/a'],
    [undefined, ['/a'], ['/b'], 'workdir_not_allowed'],
    [undefined, ['/a'], ['/a/inner'], 'workdir_not_allowed'],
    [undefined, ['/a'], [], 'workdir_not_allowed'],
    [undefined, ['/a', '/b'], ['/c'], 'drive_repository_required'],
  ])('%s with %j, for a key with the directories %j, is %s', (wanted, repositories, paths, expected) => {
    const ceilings = { directories: { paths, setting: 'directories of the key ci' } }
    expect(codeOf(() => chooseRepository(wanted, settings({ repositories }), { resolve, ceilings }))).toBe(expected)
  })
})

it.each<[object, object, string | undefined]>([
  [{ checks: ['npm test'] }, { checks: ['npm test', 'npm run lint'] }, undefined],
  [{ checks: [] }, { checks: ['npm test'] }, undefined],
  [{ checks: ['npm  test'] }, { checks: ['npm test'] }, 'drive_check_not_allowed'],
  [{}, { checks: ['npm test'], require_checks: true }, undefined],
  [{ checks: ['npm run lint', 'npm test'] }, { checks: ['npm test', 'npm run lint'], require_checks: true }, undefined],
  [{ checks: ['npm test'] }, { checks: ['npm test', 'npm run lint'], require_checks: true }, 'drive_checks_required'],
  [{ checks: [] }, { checks: ['npm test'], require_checks: true }, 'drive_checks_required'],
  [{ deliver: 'none' }, {}, undefined],
  [{ deliver: 'pr' }, { deliver: 'pr' }, undefined],
  [{ deliver: 'pr' }, {}, 'drive_delivery_not_allowed'],
])('a client that asks for %j with the settings %j gets %s', (given, drive, expected) => {
  expect(codeOf(() => refuseOptions(given, settings(drive)))).toBe(expected)
})

const WORKSPACE: Ceilings = { sandbox: { mode: 'workspace', setting: 'max_sandbox_mode of the key ops' } }
const EDITS: Ceilings = { approval: { mode: 'auto', setting: 'max_approval_mode of the key ops' } }

it.each<['auto' | 'none' | undefined, 'auto' | 'none' | 'default', Ceilings | undefined, string]>([
  [undefined, 'default', undefined, 'default'],
  [undefined, 'default', WORKSPACE, 'default'],
  [undefined, 'default', EDITS, 'auto'],
  [undefined, 'none', undefined, 'none'],
  [undefined, 'none', WORKSPACE, 'auto'],
  ['none', 'auto', WORKSPACE, 'none'],
  [undefined, 'auto', WORKSPACE, 'auto'],
  [undefined, 'auto', undefined, 'auto'],
  ['auto', 'none', undefined, 'auto'],
  ['none', 'none', WORKSPACE, 'none'],
])('approval %s with the setting %s and %j is %s', (given, setting, ceilings, expected) => {
  expect(chooseApproval(given, settings({ approval_mode: setting }), { ceilings })).toBe(expected)
})

describe('who lets a run continue', () => {
  const record = (more: Partial<DrivenRecord>) => ({ asked_by: 'client', ...more }) as DrivenRecord
  const client = (name: string, id: string): Caller => ({ is: 'client', key: { id, name }, role: 'client' })
  const OF_ONE = record({ api_key: 'one', key_id: 'key_1' })

  it.each<[string, Caller, DrivenRecord, Ceilings | undefined, string | undefined]>([
    ['its own key', client('one', 'key_1'), OF_ONE, WORKSPACE, undefined],
    ['another key', client('ops', 'key_2'), OF_ONE, WORKSPACE, 'drive_of_another'],
    ['a key of the same name', client('one', 'key_2'), OF_ONE, WORKSPACE, 'drive_of_another'],
    ['a client without a key, of a key', { is: 'client', role: 'operator' }, OF_ONE, WORKSPACE, 'drive_of_another'],
    ['a client without a key', { is: 'client', role: 'operator' }, record({}), WORKSPACE, undefined],
    ['a limited key, of the user', client('ops', 'key_2'), record({ asked_by: 'user' }), WORKSPACE, 'drive_of_another'],
    ['an unlimited key', client('ops', 'key_2'), record({ asked_by: 'user' }), undefined, undefined],
    [
      'a client without a key, of a key of an older record',
      { is: 'client', role: 'operator' },
      record({ api_key: 'one' }),
      WORKSPACE,
      'drive_of_another',
    ],
    [
      'a client without a key, of the user',
      { is: 'client', role: 'operator' },
      record({ asked_by: 'user' }),
      WORKSPACE,
      'drive_of_another',
    ],
    ['a limited caller that is no client', { is: 'user' }, record({}), WORKSPACE, 'drive_of_another'],
    ['the user', { is: 'user' }, record({ api_key: 'one' }), undefined, undefined],
    [
      'a key with the limit of another',
      client('ops', 'key_2'),
      { ...OF_ONE, ceilings: WORKSPACE },
      WORKSPACE,
      undefined,
    ],
    ['a key with another limit', client('ops', 'key_2'), { ...OF_ONE, ceilings: EDITS }, WORKSPACE, 'drive_of_another'],
  ])('%s', (_, caller, owned, ceilings, expected) => {
    expect(codeOf(() => refuseLimited({ ...caller, ceilings }, owned))).toBe(expected)
  })

  it('is limited no more than the starter was at its last drive, and is now', () => {
    const by = { ...client('ops', 'key_2'), ceilings: WORKSPACE }
    const limited = { ceilings: WORKSPACE }
    expect(codeOf(() => refuseLimited(by, { ...OF_ONE, ...limited }, limited))).toBeUndefined()
    expect(codeOf(() => refuseLimited(by, { ...OF_ONE, ...limited }, {}))).toBe('drive_of_another')
    expect(codeOf(() => refuseLimited(by, OF_ONE, limited))).toBe('drive_of_another')
  })
})

it.each([
  ['https://github.com/ada/weather/issues/7', undefined],
  ['https://github.com/Ada/Weather/issues/7', undefined],
  ['https://github.com/ada/weather2/issues/7', 'drive_issue_not_allowed'],
  ['https://github.com/eve/weather/issues/7', 'drive_issue_not_allowed'],
  ['undefined', 'drive_issue_not_allowed'],
])('the issue %s of a clone of ada/weather gets %s', (url, expected) => {
  expect(codeOf(() => refuseForeignIssue(url, { owner: 'ada', repo: 'weather' }))).toBe(expected)
  expect(codeOf(() => refuseForeignIssue(url, undefined))).toBe('drive_issue_not_allowed')
})

it('a run belongs to the user or to the key that has started it, with what it was allowed then', () => {
  const record = (more: object) => more as DrivenRecord
  expect(toStarter(record({ asked_by: 'user', api_key: 'ops' }))).toStrictEqual({ is: 'user' })
  const asked = { asked_by: 'client', api_key: 'ops', key_id: 'key_2' }
  const key = { id: 'key_2', name: 'ops' }
  const nothing = { ceilings: undefined, budgets: undefined }
  expect(toStarter(record(asked))).toStrictEqual({ is: 'client', role: 'client', key, ...nothing })
  expect(toStarter(record({ asked_by: 'client' }))).toMatchObject({ key: undefined })
  const allowed = { ceilings: WORKSPACE, budgets: ['1usd/day'] }
  expect(toStarter(record({ ...asked, ...allowed }))).toMatchObject(allowed)
})

const CLIENT = { is: 'client', role: 'operator', key: { id: 'k', name: 'ops' } } as const

it.each<[WorkAct['do'], Caller, object, string | undefined]>([
  ['merge', CLIENT, {}, 'merge_not_permitted'],
  ['take', CLIENT, {}, 'merge_not_permitted'],
  ['merge', { ...CLIENT, mayMerge: true }, {}, undefined],
  ['take', { ...CLIENT, isUser: true }, {}, undefined],
  ['merge', USER, {}, undefined],
  ['discard', CLIENT, {}, undefined],
  ['pull_request', { ...CLIENT, mayMerge: true }, {}, 'drive_delivery_not_allowed'],
  ['pull_request', CLIENT, { deliver: 'pr' }, undefined],
  ['pull_request', USER, {}, undefined],
])('to %s, %j with the settings %j gets %s', (act, by, drive, code) => {
  expect(codeOf(() => refuseAct(by, { do: act }, settings(drive)))).toBe(code)
})
