import type { RawSourceEnvelope } from '../contract/raw-source-envelope.shape.ts'
import type { SourceCandidate } from '../contract/source-candidate.shape.ts'
import { checkSourceCandidate } from '../contract/source-candidate.ts'
import type { SourceReading } from './read-source.ts'

type CandidateFields = Pick<SourceCandidate, 'candidate_id' | 'created_at'>

/** The source candidate message for an envelope and its classification. */
export function toCandidate(
  envelope: RawSourceEnvelope,
  reading: SourceReading,
  { candidate_id, created_at }: CandidateFields,
): SourceCandidate {
  const { source_version, provider, host, repository_id, issue_id, issue_number, canonical_url, parent } = envelope
  const projection = {
    source_version,
    parser_version: 2,
    provider,
    host,
    repository_id,
    issue_id,
    issue_number,
    canonical_url,
    url_aliases: [],
    ...(parent !== undefined && { parent }),
    created_at,
  } as const
  return checkSourceCandidate({ candidate_id, ...toVerdict(reading), ...projection })
}

function toVerdict(reading: SourceReading) {
  if (reading.is === 'rejected') {
    return {
      valid: false,
      classification: 'invalid',
      classification_code: reading.code,
      classification_error: reading.error,
      observation_sha256: reading.observation_sha256,
    } as const
  }
  const { source } = reading
  return {
    valid: true,
    classification: 'valid',
    classification_code: 'valid_change',
    source_revision: source.source_revision,
    requirements_revision: source.requirements_revision,
    title: source.title,
    snapshot: source,
  } as const
}
