import { describe, expect, it } from 'vitest'
import { parseOrigin } from './origin-repository.ts'

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
