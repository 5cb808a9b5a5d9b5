import { symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { PLAIN_ENV, type Repository } from '../../test/support/git-repository.ts'
import { temporaryDirectory } from '../../test/support/run-drover.ts'
import { createRepository } from '../../test/support/temporary-repository.ts'
import type { Digest } from '../kit/digest.ts'
import { discoverWorkspace } from '../workspace/discover-workspace.ts'
import { locateGit } from '../workspace/git.ts'
import { findGitPrograms, findTrusted, readProjectSettings, saveDecision } from './project-settings.ts'

const git = locateGit({ env: PLAIN_ENV, cwd: '/' })
const signal = new AbortController().signal

async function placeOf({ root }: Repository) {
  return { workspace: await discoverWorkspace({ start: root, git, signal }) }
}

const read = async (repository: Repository) => await readProjectSettings(await placeOf(repository))

function createProject(): Repository {
  const repository = createRepository()
  repository.write('.claude/settings.json', '{}')
  repository.write('AGENTS.md', 'Use tabs.')
  repository.commit()
  return repository
}

describe('the settings of a project', () => {
  it('are all files that agents read settings from, and no instructions', async () => {
    const project = createProject()
    project.write('web/.mcp.json', '{}')
    project.write('Z/.mcp.json', '{}')
    project.write('web.old/.mcp.json', '{}')
    project.write('src/index.js', '')
    const paths = ['.claude/settings.json', 'Z/.mcp.json', 'web.old/.mcp.json', 'web/.mcp.json']
    expect(await read(project)).toMatchObject({ paths })
    expect(await read(createRepository())).toMatchObject({ paths: [] })
  })

  it('have a digest that changes with each of them and with the repository, and with nothing else', async () => {
    const project = createProject()
    const { digest } = await read(project)
    expect((await read(createProject())).digest).not.toBe(digest)
    project.write('AGENTS.md', 'Use spaces.')
    project.write('src/index.js', '1')
    expect((await read(project)).digest).toBe(digest)
    project.write('.gitignore', '.env')
    project.write('.env', 'A=1')
    const more = (await read(project)).digest
    project.write('.env', 'A=2')
    expect(new Set([digest, more, (await read(project)).digest]).size).toBe(3)
  })

  it('have none if there is a link among them', async () => {
    const project = createProject()
    symlinkSync('/etc', join(project.root, '.gemini'))
    expect(await read(project)).toEqual({ paths: ['.claude/settings.json', '.gemini'], digest: undefined })
  })
})

describe('settings that agents may use', () => {
  const decide = async (project: Repository, decision: 'trusted' | 'refused') => {
    const decisions = join(temporaryDirectory(), 'trusted-settings')
    const { digest = '' as Digest, paths } = await read(project)
    const facts = { repository: project.root, paths: [...paths], decided_at: '2026-11-17T00:00:00.000Z' }
    saveDecision(decisions, { version: 1, digest, decision, ...facts })
    return { decisions, digest }
  }

  it('are those that the user trusts, as they were then', async () => {
    const project = createProject()
    const { decisions, digest } = await decide(project, 'trusted')
    const trusted = async (use: 'trusted' | 'never') => await findTrusted(await placeOf(project), { use, decisions })
    expect([await trusted('trusted'), await trusted('never')]).toEqual([digest, undefined])
    project.write('.codex/config.toml', '')
    expect(await trusted('trusted')).toBeUndefined()
  })

  it('are none in a project without settings, whatever was decided', async () => {
    const project = createRepository()
    const { decisions } = await decide(project, 'trusted')
    expect(await findTrusted(await placeOf(project), { use: 'trusted', decisions })).toBeUndefined()
  })

  it('are none if the user has refused them, or was never asked', async () => {
    const project = createProject()
    const { decisions } = await decide(project, 'refused')
    const place = await placeOf(project)
    expect(await findTrusted(place, { use: 'trusted', decisions })).toBeUndefined()
    expect(await findTrusted(place, { use: 'trusted', decisions: '/nowhere' })).toBeUndefined()
  })
})

describe('what a repository tells git to run', () => {
  const programsOf = async (repository: Repository) => findGitPrograms(await placeOf(repository), { env: PLAIN_ENV })

  it('has a digest, which changes with it', async () => {
    const repository = createProject()
    expect(await programsOf(repository)).toBeUndefined()
    const digests = []
    for (const program of ['./watch', './other']) {
      repository.write('.git/config', `[core]\n\tfsmonitor = ${program}\n`)
      digests.push(await programsOf(repository))
    }
    expect(digests).toEqual([expect.stringMatching(/^sha256:/), expect.stringMatching(/^sha256:/)])
    expect(digests[0]).not.toBe(digests[1])
  })

  it('has none if the settings cannot be read', async () => {
    const repository = createProject()
    const place = await placeOf(repository)
    repository.write('.git/config', '[core')
    expect(findGitPrograms(place, { env: PLAIN_ENV })).toBeUndefined()
  })
})
