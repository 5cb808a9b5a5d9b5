/** The record of a running change. If the process is killed, the next one uses it to finish or undo the change. */
import { Type } from 'typebox'
import { Digest } from '../../contract/identifiers.shape.ts'
import { literals, type Message, strict, tagged, textLike } from '../../kit/shape.ts'

const path = textLike('^(?!(?:[\\s\\S]*/)?\\.{0,2}(?:/|$))[^\\u0000\\\\]+$', 'a path inside the repository')

/** `expects` is the digest before the step, `gives` the digest after it. */
const RecordedStep = tagged('do', [
  strict({ do: Type.Literal('create'), path, gives: Digest }),
  strict({ do: Type.Literal('replace'), path, expects: Digest, gives: Digest }),
  strict({ do: Type.Literal('remove'), path, expects: Digest }),
  strict({ do: Type.Literal('verify'), path, expects: Digest }),
  strict({ do: Type.Literal('remove_directory'), path }),
])

export const ChangeRecord = strict({
  version: Type.Literal(1),
  id: textLike('^[0-9a-f]{32}$', '32 lowercase hexadecimal digits'),
  /** While it is `applying`, the next process that finds the record undoes the change. */
  phase: literals(['applying', 'committed']),
  hosts: Type.Array(Type.String({ minLength: 1 })),
  /** Missing folders that the change creates, outermost first. */
  folders: Type.Array(path),
  steps: Type.Array(RecordedStep),
})
export type ChangeRecord = Message<typeof ChangeRecord>
