/** A driven run that follows its pull request, with the real `gh` and git against the fake forge. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { callMain } from '../support/call-main.ts'
import { dataOf, runIdIn } from '../support/driven-home.ts'
import { hasForge } from '../support/forge/fake-forge.ts'
import { createFollowedHome, ORDERS, WALK_SCRIPT, Walk } from '../support/forge/followed-home.ts'
import { temporaryDirectory } from '../support/run-drover.ts'

describe.runIf(hasForge)('a followed pull request', () => {
  it('goes from the issue over red CI, three comments and a moved base to the merge', {
    timeout: 300_000,
  }, async () => {
    const home = await createFollowedHome(temporaryDirectory(), WALK_SCRIPT)
    const { forge, repository, env } = home
    const { number } = forge.addIssue('Show the wind in knots', `In knots.\n\n${ORDERS}`)
    const walk = new Walk(forge)
    const args = ['drive', `#${number}`, '--as-goal', '--no-review', '--follow', '--check', 'sh check.sh']
    const call = (words: readonly string[]) => callMain(words, { cwd: repository.root, env, homeDirectory: home.home })
    const { code, stdout, stderr } = await call(args)
    expect([code, stderr]).toEqual([0, ''])
    expect(stdout).toContain(`merged as ${walk.mergeCommit}`)

    const answers = forge.lineComments.filter(({ author }) => author === 'drover-bot')
    expect(answers.map(({ thread }) => thread)).toEqual(walk.comments)
    expect(answers[0]?.body).toMatch(
      /^\*\*observed\*\*: changed in [0-9a-f]{12} \(wind\.txt\): changed wind\.txt: 24 as/,
    )
    expect(answers[1]?.body).toMatch(/^\*\*observed\*\*: changed in [0-9a-f]{12} \(rain\.txt\)/)
    expect(answers[2]?.body).toMatch(/^\*\*not changed\*\*: knots are what the goal asks for/)
    const written = [...answers.map(({ body }) => body), forge.items.get(walk.number)?.body].join('\n')
    expect(written).not.toMatch(/#12|@octocat/)
    expect(forge.comments.filter(({ author }) => author === 'drover-bot')).toEqual([])

    const item = forge.items.get(walk.number)
    expect(item?.pull).toMatchObject({ isDraft: false, mergeCommit: walk.mergeCommit })
    expect(item?.body.match(/^# Run /gm)).toHaveLength(1)
    expect([...forge.items.values()].filter(({ pull }) => pull !== undefined)).toHaveLength(1)
    expect(forge.git('show', 'main:wind.txt')).toBe('wind: 25 knots')

    const first = dataOf(home.records(runIdIn(stdout)), 'drive_started')[0]
    const place = first?.place
    expect(place?.kind === 'worktree' && existsSync(place.root)).toBe(false)
    expect(repository.git('branch', '--list', 'drover/*')).toBe('')

    const prompts = home.calls().filter(({ kind }) => kind === 'implement')
    expect(prompts).toHaveLength(4)
    const sessions = home.calls().filter(({ resumed }) => resumed === undefined)
    expect(sessions).toHaveLength(1)
    for (const { prompt } of prompts) {
      const outside = prompt.replaceAll(/^<<<data ([0-9a-f]{16})\n[\s\S]*?\n>>>data \1$/gm, '')
      expect(outside).not.toMatch(/OWNED|24, please|octocat/)
    }
    expect(prompts[1]?.prompt).toContain('expected ci.txt in')
    expect(prompts[2]?.prompt).not.toContain('This is done already')
    expect(prompts[2]?.prompt).toContain('3 (a comment on a line)')
    expect(existsSync(join(repository.root, 'OWNED'))).toBe(false)
  })
})
