import type { RawSourceEnvelope } from '../../src/contract/raw-source-envelope.shape.ts'
import { bodyOf, commentOf, commentText, FIVE_SECTIONS, makeBundle, manifestOf } from './source-bundle.ts'

/** The issue with its second section replaced by another comment, in a manifest that amends `parent`. */
export function amendedBundle(parent: string | undefined, text = 'Knots, and nothing but knots.\n'): RawSourceEnvelope {
  const sections = FIVE_SECTIONS.map((draft, at) => (at === 1 ? { ...draft, text } : draft))
  const comments = sections.map((draft, at) => commentOf(at === 1 ? 101 : at, commentText(draft)))
  const manifest = {
    ...manifestOf(sections, comments),
    ...(parent !== undefined && { parent_requirements_revision: parent }),
  }
  return { ...makeBundle(), body: bodyOf(JSON.stringify(manifest)), comments }
}
