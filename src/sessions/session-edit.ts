import type { Session } from './session.ts'
import { checkMetadata, checkTag, checkTags, checkTitle } from './session-rules.ts'
import type { SessionEdit } from './session-store.ts'

/** The session with another title, other tags and more metadata. A tag that is to be added and removed is not there afterwards. Pure. */
export function editSession(session: Session, change: SessionEdit): Session {
  const { title, addTags = [], removeTags = [] } = change
  const removed = new Set(removeTags.map(checkTag))
  const added = addTags.map(checkTag)
  const tags = checkTags([...session.tags, ...added].filter((tag) => !removed.has(tag)))
  const metadata = checkMetadata({ ...session.metadata, ...change.metadata })
  const { title: oldTitle, ...untitled } = session
  const newTitle = title === undefined ? oldTitle : title
  if (newTitle === null || newTitle === undefined) return { ...untitled, tags, metadata }
  return { ...untitled, tags, metadata, title: checkTitle(newTitle) }
}
