import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAgentSettings } from '../../kit/agent-configuration.ts'
import { KNOWN_AGENTS, profileOf } from './known-agents.ts'
import { readProjectSettings } from './project-settings.ts'

let home = ''
let workdir = ''
beforeEach(() => {
  home = realpathSync(mkdtempSync(join(tmpdir(), 'drover-project-')))
  workdir = join(home, 'code', 'project', 'part')
  mkdirSync(workdir, { recursive: true })
})
afterEach(() => rmSync(home, { recursive: true }))

const found = (program = 'opencode') =>
  readProjectSettings(profileOf([program]), { env: { HOME: home }, workdir }).projectSettings

describe('the settings that an agent would use', () => {
  it('are those in the working directory and in every one above it, but not in the home of the user', () => {
    for (const folder of [workdir, join(workdir, '..'), join(home, 'code')])
      writeFileSync(join(folder, 'opencode.json'), '{}')
    mkdirSync(join(home, '.opencode'))
    expect(found()).toEqual(['opencode.json', '../opencode.json', '../../opencode.json'])
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
})
