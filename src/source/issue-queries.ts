/** What drover asks GitHub. These are queries alone: nothing here can change anything. */

export const ISSUE_QUERY = `query($owner: String!, $repo: String!, $number: Int!) {
  repository(owner: $owner, name: $repo) {
    id
    issue(number: $number) {
      id number url title body updatedAt
      labels(first: 100) { totalCount nodes { name } }
      parent { id url repository { id } }
    }
  }
}`

/** `databaseId` is a 32-bit integer, which the numbers of comments have outgrown. */
export const COMMENTS_QUERY = `query($ids: [ID!]!) {
  nodes(ids: $ids) {
    ... on IssueComment {
      id fullDatabaseId url updatedAt isMinimized body
      author { ... on Node { id } }
      issue { id }
    }
  }
}`
