import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { digest, digestFields, digestSections, digestUnavailableWorkspace, type Hashable, isDigest } from './digest.ts'

const BD = `sha256:${'0123456789abcdef'.repeat(4)}`
const SD = `sha256:${'abcdef0123456789'.repeat(4)}`

const commentBody = (body: string) => digestFields(['drover-comment-body/v1', body])
const pathRecord: [string, Hashable][] = [
  ['path', 'a.txt'],
  ['category', 'untracked'],
  ['state', '??'],
  ['observation', 'regular'],
  ['size', '6'],
  ['modified_unix_nano', '1700000000000000000'],
  ['content_sha256', digest('hello\n')],
  ['content_fingerprint_kind', 'full_sha256'],
]
const pathFingerprint = digestSections([['path_count', '0']])
const sample = new Uint8Array(65536)

describe('the digests of the protocol', () => {
  it.each([
    [
      'a comment body',
      commentBody('hello\n'),
      'sha256:4d8be2d64b56a81f895752727eeae55b23d3eccac365e32d2389ad68c724aef7',
    ],
    [
      'material',
      digestFields(['drover-material/v1', 'hello\n']),
      'sha256:9b9f5b42f2204dc41c66ad4d5c3095ad9d9178bc0e5ed0e33c35f788116415dc',
    ],
    [
      'a section',
      digestFields(['drover-section/v2', 'requirements', 'requirements', 'Requirements', 'hello\n']),
      'sha256:0ceaeae2d169a3f9bd7d1354a1ca0317f56187614049c303c724b2376df8827c',
    ],
    [
      'a manifest',
      digestFields([
        ...['drover-manifest/v2', '2', 'change/v2', 'sha256:parent'],
        ...['requirements', 'requirements', 'Requirements', 'IC_requirements', '42', BD],
      ]),
      'sha256:e3a44b45110b0be479dd10d01d18fd540609d51f1fed0758f75a2909fb79803b',
    ],
    [
      'requirements',
      digestFields(['drover-requirements/v2', 'change/v2', 'requirements', 'requirements', 'Requirements', SD]),
      'sha256:dd6960cea196f9c515097cf0db46eb7bcbf1ec464c0abda49471bfce075aec36',
    ],
    [
      'a source',
      digestFields(['drover-source/v2', '2', 'github.com', 'R_example', 'I_example', '[Change] Example\nTitle', BD]),
      'sha256:72b5531ef8a177b84c16c367c8464f720ba2982f2a266ac60fa32621ea338958',
    ],
    [
      'an observation of a source',
      digestFields([
        ...['drover-source-observation/v2', 'github.com', 'R_example', 'I_example', '[Change] Example\nTitle'],
        ...['normalized body\n', 'IC_one', commentBody('first\n'), 'IC_two', commentBody('second\n')],
      ]),
      'sha256:23d8c1b4ad9f6a994a15646c100d410f1283ceec80e8a4068801691058ca9548',
    ],
    [
      'an answer',
      digestFields(['drover-answer/v1', 'action-1', 'false', '', 'stable']),
      'sha256:2181d6b93bf8c4d505f8a370f55f43b805ee83954d3f611da0c9432ebbd319f0',
    ],
    [
      'a confirmation',
      digestFields(['drover-answer/v1', 'action-1', 'true', BD, '']),
      'sha256:d44f242c7d6d834198fde0f65299e9400a27ecab5a414caac642440789ec95cc',
    ],
    [
      'a workspace',
      digestSections([
        ['version', '1'],
        ['worktree_root', '/srv/repo'],
        ['git_dir', '/srv/repo/.git'],
        ['git_common_dir', '/srv/repo/.git'],
      ]),
      'sha256:017e548557a0b859715bdeb1a1e0e43d061b2b42e30c57ee399653dcc94a3048',
    ],
    ['no paths', pathFingerprint, 'sha256:05fb5d609adb1851c4962fd36890ba92678a502bea69a2bf7787468523850a77'],
    [
      'one path',
      digestSections([['path_count', '1'], ...pathRecord]),
      'sha256:ab636e212b4b4377fd24f96fded3a4c8a5e8535d419fa5540ed8c1a13c9b73d3',
    ],
    [
      'a snapshot',
      digestSections([
        ['version', '1'],
        ['head', 'unborn'],
        ['index_fingerprint', digest('')],
        ['status_fingerprint', digest('')],
        ['path_count', '0'],
        ['path_fingerprint', pathFingerprint],
        ['details_truncated', 'false'],
        ['content_observation_complete', 'true'],
        ['content_bytes_hashed', '0'],
        ['content_byte_limit', '67108864'],
        ['content_byte_limit_exceeded', 'false'],
        ['content_deadline_exceeded', 'false'],
        ['retained_path_count', '0'],
      ]),
      'sha256:a4c35e4a4db8d72d9f378854e8cb6f992b6d9cd66d6a6eb85eab71ded8e3555e',
    ],
    [
      'samples of a large file',
      digestSections([
        ['mode', 'oversize_samples_v1'],
        ['size', '17825792'],
        ['offset', '0'],
        ['sample', sample],
        ['offset', '8880128'],
        ['sample', sample],
        ['offset', '17760256'],
        ['sample', sample],
      ]),
      'sha256:50dc74fb3d7d761f6287bb951152a4c7cfdb068879d2631a976241ebe198bcbf',
    ],
    [
      'an unavailable workspace',
      digestUnavailableWorkspace('/srv/repo'),
      'sha256:fdc35436a21cf59b4f0cc57ba1337de0c3c24df9103fb98af8661c1f98850a4e',
    ],
  ])('%s has its fixed digest', (_what, actual, expected) => {
    expect(actual).toBe(expected)
  })
})

describe('digest', () => {
  it('is the plain SHA-256 of the bytes', () => {
    expect(digest(new Uint8Array([0x61, 0x62, 0x63]))).toBe(
      'sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad',
    )
    expect(digest('é')).toBe(digest(new Uint8Array([0xc3, 0xa9])))
  })

  it.each([65_536, 65_537])('is the same for %i bytes, hashed at once or in parts', (size) => {
    const content = 'x'.repeat(size - '\0a\0'.length - `${size}`.length - '\0'.length)
    const bytes = `\0a\0${content.length}\0${content}`
    expect(digestSections([['a', content]])).toBe(`sha256:${createHash('sha256').update(bytes).digest('hex')}`)
  })

  it('throws on a lone surrogate instead of hashing a replacement', () => {
    expect(() => digest('\ud800')).toThrow(TypeError)
    expect(() => digestFields(['a', '\ud800'])).toThrow(TypeError)
    expect(() => digestSections([['path', '\ud800']])).toThrow(TypeError)
    expect(() => digestUnavailableWorkspace('/srv/\ud800')).toThrow(TypeError)
  })
})

describe('digestFields', () => {
  it('counts bytes, so that moving a character between fields changes the digest', () => {
    expect(digestFields(['ab', 'c'])).not.toBe(digestFields(['a', 'bc']))
    expect(digestFields(['a', ''])).not.toBe(digestFields(['a']))
    expect(digestFields(['é'])).toBe(digestFields([new Uint8Array([0xc3, 0xa9])]))
  })
})

describe('isDigest', () => {
  it.each([
    [BD, true],
    [BD.toUpperCase(), false],
    [`sha256:${'A'.repeat(64)}`, false],
    [BD.slice(0, -1), false],
    [`${BD}0`, false],
    [`${BD}\n`, false],
    [` ${BD}`, false],
    [BD.slice('sha256:'.length), false],
    ['sha256:', false],
    ['', false],
  ])('%j: %s', (text, expected) => {
    expect(isDigest(text)).toBe(expected)
  })
})
