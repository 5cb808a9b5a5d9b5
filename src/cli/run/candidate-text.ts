/** What a run found when it looked at its issue again, in words. Pure. */
import type { LocalRun } from '../../contract/run-status.shape.ts'

type Candidate = NonNullable<LocalRun['source_candidate']>
type Source = NonNullable<LocalRun['pinned_source']>

export function sayCandidate({ candidate_id, classification, classification_code }: Candidate): string {
  return `${candidate_id} (${classification}, ${classification_code})`
}

/** Which sections would be others, so that whoever has to choose knows between what. */
export function sayDifference(pinned: Source, { snapshot }: Candidate): string | undefined {
  if (snapshot === undefined) return undefined
  const [before, after] = [revisionsOf(pinned), revisionsOf(snapshot)]
  const kept = [...after.keys()].filter((key) => before.has(key))
  const keys = {
    changed: kept.filter((key) => before.get(key) !== after.get(key)),
    new: [...after.keys()].filter((key) => !before.has(key)),
    gone: [...before.keys()].filter((key) => !after.has(key)),
  }
  const said = Object.entries(keys).flatMap(([word, those]) =>
    those.length === 0 ? [] : [`${word}: ${those.join(', ')}`],
  )
  return said.length === 0 ? undefined : said.join('; ')
}

function revisionsOf({ sections }: Source): Map<string, string> {
  return new Map(sections.map(({ key, section_revision }) => [key, section_revision]))
}
