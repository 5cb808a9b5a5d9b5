/** The ownership manifest of a host: the files that drover wrote. */
import { Type } from 'typebox'
import { literals, type Message, strict, textLike } from '../kit/shape.ts'
import { HOST_IDS } from './host.ts'

const ClaimedFile = strict({
  path: Type.String({ minLength: 1 }),
  sha256: textLike('^[0-9a-f]{64}$', '64 lowercase hexadecimal digits'),
})

export const OwnershipManifest = strict({
  version: Type.Literal(2),
  tool_id: literals(HOST_IDS),
  /** Only for kiro, the one host with surfaces. */
  surface: Type.Optional(strict({ kiro: literals(['ide', 'cli']) })),
  files: Type.Array(ClaimedFile),
})
export type OwnershipManifest = Message<typeof OwnershipManifest>
