import { describe, expect, it } from 'vitest'
import { agentRequest } from '../../test/support/agent-request.ts'
import { PDF, PNG } from '../../test/support/sample-files.ts'
import type { AttachedFile } from './adapter/attached-file.ts'
import { buildCommand } from './build-command.ts'
import { findWarmBackend } from './pool/warm-backends.ts'

const file = (mediaType: AttachedFile['mediaType'], bytes: Buffer): AttachedFile => ({
  mediaType,
  data: bytes.toString('base64'),
  size: bytes.length,
  digest: 'sha256:0',
})
const png = file('image/png', PNG)
const pdf = file('application/pdf', PDF)
const over = { attachments: [png, pdf], scratchDirectory: '/scratch' }
const FILES = [
  { path: '/scratch/attachments/1.png', content: PNG },
  { path: '/scratch/attachments/2.pdf', content: PDF },
]

describe('images and documents', () => {
  it('go to claude as blocks before the text', () => {
    const { argv, stdin, files } = buildCommand(agentRequest('claude', over))
    expect(argv).toContain('--input-format')
    const block = (type: string, { mediaType, data }: AttachedFile) => ({
      type,
      source: { type: 'base64', media_type: mediaType, data },
    })
    const text = { type: 'text', text: 'say hello' }
    expect(JSON.parse(stdin).message.content).toEqual([block('image', png), block('document', pdf), text])
    expect(files).toEqual([])
  })

  it('go to codex as files: it takes images, and opens documents itself', () => {
    const { argv, stdin, files } = buildCommand(agentRequest('codex', over))
    expect(argv.slice(1, 5)).toEqual(['exec', '--image', '/scratch/attachments/1.png', '--json'])
    expect(stdin).toBe(
      'say hello\n\nThe user has attached these files:\n- /scratch/attachments/2.pdf (application/pdf)',
    )
    expect(files).toEqual(FILES)
  })

  it('go to gemini as files that it reads before the turn', () => {
    const { argv, stdin, files } = buildCommand(agentRequest('gemini', { ...over, prompt: 'mail me@here' }))
    expect(argv.join(' ')).toContain('--include-directories /scratch/attachments')
    expect(stdin).toMatch(/me\\@here\n\n@\/scratch\/attachments\/1\.png\n\n@\/scratch\/attachments\/2\.pdf$/)
    expect(files.slice(-2)).toEqual(FILES)
  })

  it.each(['claude', 'codex', 'gemini'] as const)('are not in the files of a dry run of %s', (backend) => {
    const { files, argv } = buildCommand(agentRequest(backend, { ...over, isDryRun: true }))
    expect(files).toEqual([])
    if (backend === 'codex') expect(argv).toContain('<scratch>/attachments/1.png')
  })

  it('need a separate process where they are files, or where their echo would be too long', () => {
    const isWarm = (backend: 'claude' | 'codex' | 'gemini', attachments: AttachedFile[]) => {
      const request = agentRequest(backend, { attachments })
      return findWarmBackend(request)?.fixedParts(request) !== undefined
    }
    const long = { ...png, data: 'A'.repeat(6 * 1024 * 1024) }
    expect([isWarm('claude', [png, pdf]), isWarm('claude', [long]), isWarm('claude', [long, png])]).toEqual([
      true,
      true,
      false,
    ])
    expect([isWarm('codex', [png]), isWarm('codex', [pdf])]).toEqual([true, false])
    expect([isWarm('gemini', []), isWarm('gemini', [png])]).toEqual([true, false])
  })
})
