import { useRef, useState } from 'preact/hooks'
import { type Task, ticking } from '../ui/parse-markdown.ts'

type Change = (text: string) => string | undefined

/**
 * Ticks tasks in a stored text. Each tick is shown at once, and saved after the one before it. `save` handles
 * its own errors; then the stored text is shown again.
 */
export function useTicks(stored: string, save: (change: Change, ticked: string) => Promise<void>) {
  const [unsaved, setUnsaved] = useState<readonly Change[]>([])
  const lastSave = useRef(Promise.resolve())
  const text = unsaved.reduce((shown, change) => change(shown) ?? shown, stored)
  const tick = (task: Task) => {
    const change = ticking(text, task)
    setUnsaved((all) => [...all, change])
    lastSave.current = lastSave.current
      .then(() => save(change, change(text) ?? text))
      .then(() => setUnsaved((all) => all.filter((one) => one !== change)))
  }
  return { text, tick }
}
