import { describe, expect, it } from 'vitest'
import { type ForgePermission, parseOrigin, rightsIn } from './forge.ts'

const PEOPLE: Readonly<Record<string, ForgePermission>> = { ada: 'admin', grace: 'write', hedy: 'triage', eve: 'read' }

describe('who may ask', () => {
  it('is everyone with write access, and each is looked up once', async () => {
    const asked: string[] = []
    const permissionOf = async (login: string) => {
      asked.push(login)
      return PEOPLE[login] ?? 'none'
    }
    const mayAsk = rightsIn({ permissionOf }, [])
    const who = ['ada', 'grace', 'hedy', 'eve', 'nobody', 'ada']
    expect(await Promise.all(who.map(mayAsk))).toEqual([true, true, false, false, false, true])
    expect(asked).toEqual(['ada', 'grace', 'hedy', 'eve', 'nobody'])
  })

  it('is only who is named, whatever the letter case and the access', async () => {
    const mayAsk = rightsIn({ permissionOf: async () => 'admin' }, ['Hedy'])
    expect(await Promise.all(['hedy', 'HEDY', 'hed', 'ada'].map(mayAsk))).toEqual([true, true, false, false])
  })
})

describe('the address of a remote', () => {
  it.each([
    'git@github.com:ada/weather.git',
    'git@github.com:ada/weather',
    'https://github.com/ada/weather.git',
    'https://github.com/ada/weather',
    'https://GitHub.com/ada/weather',
    'ssh://git@github.com/ada/weather.git',
    'ssh://github.com/ada/weather',
  ])('%s names a repository', (address) => {
    expect(parseOrigin(address)).toEqual({ owner: 'ada', repo: 'weather' })
  })

  it.each([
    '',
    'https://github.com/ada',
    'https://github.com/ada/weather/tree',
    'https://github.com/ada/weather/',
    'https://user@github.com/ada/weather',
    'https://user:word@github.com/ada/weather',
    'ssh://git:word@github.com/ada/weather',
    'http://github.com/ada/weather',
    'https://github.com.example.com/ada/weather',
    'https://example.com/github.com/ada/weather',
    'https://github.com/ada/weather?x=1',
    'https://github.com/ada/weather#x',
    'https://github.com/ada/wea%74her',
    'https://github.com/ada/..',
    'https://github.com/./weather',
    'https://github.com/ada/.git',
    'git@github.com:ada/weather\n',
    'git@github.com:ada/wea\0ther',
    '/srv/git/weather.git',
    'git@gitlab.com:ada/weather.git',
  ])('%j names none', (address) => {
    expect(parseOrigin(address)).toBeUndefined()
  })
})
