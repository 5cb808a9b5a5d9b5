import { describe, expect, it } from 'vitest'
import { toGitEnvironment } from './git-environment.ts'

const FIXED = { LC_ALL: 'C', GIT_OPTIONAL_LOCKS: '0', GIT_TERMINAL_PROMPT: '0', GIT_NO_LAZY_FETCH: '1' }

describe('toGitEnvironment', () => {
  it.each([
    'GIT_DIR',
    'GIT_WORK_TREE',
    'GIT_IMPLICIT_WORK_TREE',
    'GIT_COMMON_DIR',
    'GIT_INDEX_FILE',
    'GIT_INDEX_VERSION',
    'GIT_OBJECT_DIRECTORY',
    'GIT_ALTERNATE_OBJECT_DIRECTORIES',
    'GIT_QUARANTINE_PATH',
    'GIT_NAMESPACE',
    'GIT_REPLACE_REF_BASE',
    'GIT_NO_REPLACE_OBJECTS',
    'GIT_SHALLOW_FILE',
    'GIT_GRAFT_FILE',
    'GIT_CEILING_DIRECTORIES',
    'GIT_DISCOVERY_ACROSS_FILESYSTEM',
    'GIT_CONFIG',
    'GIT_CONFIG_PARAMETERS',
    'GIT_CONFIG_COUNT',
    'GIT_CONFIG_KEY_0',
    'GIT_CONFIG_VALUE_0',
    'GIT_PREFIX',
    'GIT_EXTERNAL_DIFF',
    'GIT_ATTR_SOURCE',
    'GIT_TRACE',
    'GIT_TRACE2_EVENT',
    'GIT_SSH_COMMAND',
    'GIT_ASKPASS',
    'GIT_PAGER',
    'GIT_REDIRECT_STDOUT',
    'DROVER_API_KEYS',
    'drover_api_keys',
    'PGPASSWORD',
  ])('leaves out %s', (name) => {
    expect(toGitEnvironment({ [name]: 'x' })).toEqual(FIXED)
  })

  it.each([
    'PATH',
    'HOME',
    'XDG_CONFIG_HOME',
    'GITHUB_TOKEN',
    'GIT_EXEC_PATH',
    'GIT_CONFIG_GLOBAL',
    'GIT_CONFIG_SYSTEM',
    'GIT_CONFIG_NOSYSTEM',
    'GIT_ATTR_NOSYSTEM',
    'GIT_AUTHOR_NAME',
    'GIT_AUTHOR_EMAIL',
    'GIT_COMMITTER_NAME',
    'GIT_COMMITTER_EMAIL',
    'DROVER_TREE',
  ])('keeps %s', (name) => {
    expect(toGitEnvironment({ [name]: 'x' })).toEqual({ [name]: 'x', ...FIXED })
  })

  it('sets language, locks, prompts and fetching itself', () => {
    const theirs = { LC_ALL: 'de_DE.UTF-8', GIT_OPTIONAL_LOCKS: '1', GIT_TERMINAL_PROMPT: '1', GIT_NO_LAZY_FETCH: '0' }
    expect(toGitEnvironment(theirs)).toEqual(FIXED)
  })

  it('leaves out variables that are not set', () => {
    expect(toGitEnvironment({ PATH: undefined })).toEqual(FIXED)
  })
})
