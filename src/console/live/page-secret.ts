/**
 * The secret of the login, in the storage of this origin: no other server on the host gets it, and all tabs share it. The
 * cookie alone is nothing for the server.
 */

/** A proxy may serve several servers under one origin, by path. */
const nameOfSecret = () => `drover page secret ${new URL('.', document.baseURI).pathname}`

/** For a browser that refuses to store anything: the login lasts as long as the page. */
let inMemory: string | undefined

/** Another tab may have logged in or out, so it is read for every request. */
export function readSecret(): string | undefined {
  try {
    return localStorage.getItem(nameOfSecret()) ?? undefined
  } catch {
    return inMemory
  }
}

export function keepSecret(secret: string): void {
  inMemory = secret
  try {
    localStorage.setItem(nameOfSecret(), secret)
  } catch {
    // It is in memory.
  }
}

export function dropSecret(): void {
  inMemory = undefined
  try {
    localStorage.removeItem(nameOfSecret())
  } catch {
    // It was in memory.
  }
}

/** Calls `note` when another tab has logged in or out, also while this page was put aside by the browser. */
export function watchSecret(note: () => void): void {
  window.addEventListener('storage', ({ key }) => {
    // Null: everything was removed.
    if (key === nameOfSecret() || key === null) note()
  })
  window.addEventListener('pageshow', ({ persisted }) => {
    if (persisted) note()
  })
}
