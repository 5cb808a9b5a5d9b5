import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { agentRequest } from '../../../test/support/agent-request.ts'
import { isAgentSettings } from '../../kit/agent-configuration.ts'
import type { AgentRequest } from '../adapter/agent.ts'
import { NO_SURROUNDINGS } from '../adapter/surroundings.ts'
import { findAcpAgent } from './agent.ts'
import { readProjectSettings, refuseNewSettings, refuseProjectSettings } from './find-project-settings.ts'
import { findProfile, KNOWN_AGENTS } from './known-agents.ts'

let home = ''
let workdir = ''
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'drover-project-')))
  workdir = join(home, 'code', 'project', 'part')
  mkdirSync(workdir, { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true }))

const found = (program = 'opencode') =>
  readProjectSettings(findProfile([program]), { env: { HOME: home }, workdir }).projectSettings

describe('the settings that an agent would use', () => {
  it('are those in the working directory and in every one above it, but not in the home of the user', () => {
    for (const folder of [workdir, join(workdir, '..'), join(home, 'code')])
      writeFileSync(join(folder, 'opencode.json'), '{}')
    mkdirSync(join(home, '.opencode'))
    expect(found()).toEqual(['opencode.json', '../opencode.json', '../../opencode.json'])
  })

  it('are those in additional directories too, and above them', () => {
    const added = join(home, 'sdk', 'part')
    mkdirSync(added, { recursive: true })
    for (const folder of [added, join(home, 'sdk')]) writeFileSync(join(folder, 'opencode.json'), '{}')
    const place = { env: { HOME: home }, workdir, additionalDirectories: [added] }
    expect(readProjectSettings(findProfile(['opencode']), place).projectSettings).toEqual([
      '../../../sdk/part/opencode.json',
      '../../../sdk/opencode.json',
    ])
  })

  it('may be a link, even one that leads nowhere', () => {
    symlinkSync('/nowhere/at/all', join(workdir, '.opencode'))
    expect(found()).toEqual(['.opencode'])
  })

  it('are not those of other agents, unless the agent is not known', () => {
    mkdirSync(join(workdir, '.pi'))
    expect([found(), found('pi'), found('another')]).toEqual([[], ['.pi'], ['.pi']])
  })

  it('are settings of agents wherever those are looked for', () => {
    const names = KNOWN_AGENTS.flatMap(({ profile }) => profile.withoutProject?.refused ?? [])
    expect(names.filter((name) => !isAgentSettings(name))).toEqual([])
  })

  it('of an agent that is not known are those of all agents', () => {
    mkdirSync(join(workdir, '.claude'))
    for (const name of ['.claude/settings.json', '.claude/settings.local.json']) writeFileSync(join(workdir, name), '')
    for (const name of ['.gemini', '.cursor']) mkdirSync(join(workdir, name))
    const theirs = ['.claude/settings.json', '.claude/settings.local.json', '.gemini', '.cursor']
    expect(found('another')).toEqual(expect.arrayContaining(theirs))
    expect(new Set(found('another')).size).toBe(found('another')?.length)
  })

  it('are looked for up to the root if the home is elsewhere', () => {
    writeFileSync(join(home, 'opencode.json'), '{}')
    const elsewhere = readProjectSettings(findProfile(['opencode']), { env: {}, workdir }).projectSettings
    expect(elsewhere).toContain('../../../opencode.json')
    expect(readProjectSettings(findProfile(['opencode']), { env: {}, workdir: home }).projectSettings).toEqual([
      'opencode.json',
    ])
  })
})

describe('a request that must ignore its project', () => {
  const acpRequest = (over: Partial<AgentRequest> = {}) =>
    agentRequest('claude', {
      agent: findAcpAgent('mine', { enabled: true, protocol: 'acp', command: ['opencode'], env: {} }),
      env: { HOME: home },
      workdir,
      ...over,
    })
  const surroundings = { ...NO_SURROUNDINGS, projectSettings: ['.opencode', 'opencode.json'] }
  const refused = expect.objectContaining({ code: 'project_settings_refused' })

  it('is refused if there are settings that the agent would use', () => {
    expect(() => refuseProjectSettings(acpRequest({ ignoresProject: true, surroundings }))).toThrow(refused)
    expect(() => refuseProjectSettings(acpRequest({ ignoresProject: true, surroundings }))).toThrow('.opencode')
    for (const accepted of [
      { surroundings },
      { ignoresProject: true, surroundings: NO_SURROUNDINGS },
      { ignoresProject: true },
    ]) {
      expect(() => refuseProjectSettings(acpRequest(accepted))).not.toThrow()
    }
  })

  it('is refused if they were written since, unless drover makes the agent ignore them', () => {
    const request = acpRequest({ ignoresProject: true })
    expect(() => refuseNewSettings(request)).not.toThrow()
    writeFileSync(join(workdir, 'opencode.json'), '{}')
    expect(() => refuseNewSettings(request)).toThrow(refused)
    expect(() => refuseNewSettings(acpRequest())).not.toThrow()
    mkdirSync(join(workdir, '.claude'))
    writeFileSync(join(workdir, '.claude', 'settings.json'), '{}')
    expect(() => refuseNewSettings(agentRequest('claude', { ignoresProject: true, workdir }))).not.toThrow()
  })
})
