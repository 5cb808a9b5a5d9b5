import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { NOWHERE } from '../../test/support/nowhere.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { inspectGh, locateGh } from './gh.ts'

const findOrigin = async () => ({ owner: 'ada', repo: 'weather' })

type Script = { version?: string; login?: string; rights?: string }

/** A `gh` of which each of the three calls is a piece of shell. */
function open({ version = 'echo "gh version 2.94.0 (2026-01-20)"', login = 'exit 0', rights = 'exit 0' }: Script = {}) {
  const directory = temporaryDirectory()
  const log = join(directory, 'log')
  const cases = `--version) ${version};;\nauth) ${login};;\napi) ${rights};;`
  writeFileSync(join(directory, 'gh'), `#!/bin/sh\necho "$@" >> '${log}'\ncase "$1" in\n${cases}\nesac\n`, {
    mode: 0o755,
  })
  const gh = locateGh({ env: { PATH: `${directory}:/usr/bin:/bin` }, cwd: directory })
  const inspect = (over: { isOffline?: boolean; findOrigin?: () => Promise<undefined> } = {}) =>
    inspectGh(gh, { findOrigin, isOffline: false, signal: new AbortController().signal, ...over })
  const calls = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n').toSorted() : [])
  return { inspect, calls }
}

const says = (rights: unknown) => ({ rights: `echo '${JSON.stringify(rights)}'` })

describe('inspecting gh', () => {
  it('asks for its version, its login and its permissions', async () => {
    const { inspect, calls } = open(says({ pull: true, triage: true, push: true, maintain: false, admin: false }))
    expect(await inspect()).toEqual({
      version: [2, 94, 0],
      isLoggedIn: true,
      rights: { repository: 'ada/weather', allows: { read: true, triage: true, write: true } },
    })
    expect(calls()).toEqual([
      '--version',
      'api --hostname github.com repos/ada/weather --jq .permissions',
      'auth status --hostname github.com',
    ])
  })

  it.each([
    ['pull', { read: true, triage: false, write: false }],
    ['triage', { read: false, triage: true, write: false }],
    ['push', { read: false, triage: true, write: true }],
    ['maintain', { read: false, triage: true, write: true }],
    ['admin', { read: false, triage: true, write: true }],
  ])('reads the single permission %s', async (name, allows) => {
    expect((await open(says({ [name]: true, other: false })).inspect())?.rights?.allows).toEqual(allows)
  })

  it.each([['exit 1'], ['echo no JSON'], ['echo null'], ['echo []'], ['echo {}'], [`echo '{"pull":"yes"}'`], ['yes']])(
    'reports no permissions for %s',
    async (rights) => {
      expect((await open({ rights }).inspect())?.rights).toEqual({ repository: 'ada/weather', allows: undefined })
    },
  )

  it('asks for no permissions without a login or without a repository', async () => {
    expect(await open({ login: 'exit 1' }).inspect()).toMatchObject({ isLoggedIn: false, rights: undefined })
    expect(await open().inspect({ findOrigin: async () => undefined })).toMatchObject({
      isLoggedIn: true,
      rights: undefined,
    })
  })

  it('makes no network requests if told not to', async () => {
    const { inspect, calls } = open()
    expect(await inspect({ isOffline: true })).toMatchObject({ isLoggedIn: undefined, rights: undefined })
    expect(calls()).toEqual(['--version'])
  })

  it.each([
    ['echo "gh version v2.94.0, of today"', [2, 94, 0]],
    ['echo "gh version 2.93.1 (2026-01-01)"', [2, 93, 1]],
    ['echo "gh version 2.94.0-rc.1"', undefined],
    ['echo "gh version DEV"', undefined],
    ['echo 2.94.0; exit 1', undefined],
  ])('finds the version in its output: %s', async (version, found) => {
    expect((await open({ version }).inspect())?.version).toEqual(found)
  })

  it('returns undefined if gh is not installed', async () => {
    const gh = locateGh({ env: { PATH: NOWHERE }, cwd: '/' })
    const { signal } = new AbortController()
    expect(await inspectGh(gh, { findOrigin, isOffline: false, signal })).toBeUndefined()
  })
})
