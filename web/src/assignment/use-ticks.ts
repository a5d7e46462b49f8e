import { useRef, useState } from 'preact/hooks'
import { createTick, type Task } from '../ui/parse-markdown.ts'

type Change = (text: string) => string | undefined

/**
 * Ticks tasks in a stored text. Each tick is shown at once; ticks are saved one after the other. `save`
 * handles its own errors. After an error, the stored text is shown again.
 */
export function useTicks(stored: string, save: (change: Change, ticked: string) => Promise<void>) {
  const [unsaved, setUnsaved] = useState<readonly Change[]>([])
  const lastSave = useRef(Promise.resolve())
  const text = unsaved.reduce((shown, change) => change(shown) ?? shown, stored)
  const tick = (task: Task) => {
    const change = createTick(text, task)
    setUnsaved((all) => [...all, change])
    lastSave.current = lastSave.current
      .then(() => save(change, change(text) ?? text))
      .then(() => setUnsaved((all) => all.filter((other) => other !== change)))
  }
  return { text, tick }
}
