/** Whether the window fulfils a media query, also after it was resized. */
import { useEffect, useMemo, useState } from 'preact/hooks'

export function useWideEnough(query: string): boolean {
  const media = useMemo(() => matchMedia(query), [query])
  const [isWide, setWide] = useState(media.matches)
  useEffect(() => {
    const note = () => setWide(media.matches)
    media.addEventListener('change', note)
    return () => media.removeEventListener('change', note)
  }, [media])
  return isWide
}
