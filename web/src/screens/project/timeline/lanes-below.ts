export type Lanes = ReturnType<typeof createLanes>

/**
 * The lanes while a bar is dragged over them. Where they are is looked up once, and a veil lies over them: to find out what is below
 * the pointer a browser goes through hundreds of bars, at each move, and that cost more than all the rest.
 */
export function createLanes(bar: HTMLElement) {
  const scroller = bar.closest<HTMLElement>('.timeline')
  const { left = 0, right = 0, top = 0, bottom = 0 } = scroller?.getBoundingClientRect() ?? {}
  /** From the first lane's beginning, wherever it has been scrolled to. */
  const within = (clientY: number) => clientY - top + (scroller?.scrollTop ?? 0)
  const lanes = [...(scroller?.querySelectorAll<HTMLElement>('[data-person]') ?? [])].map((element) => {
    const box = element.getBoundingClientRect()
    return { element, top: within(box.top), bottom: within(box.bottom) }
  })
  const veil = document.createElement('div')
  veil.className = 'timeline-veil'
  veil.style.height = `${scroller?.scrollHeight ?? 0}px`
  scroller?.append(veil)
  let marked: HTMLElement | undefined
  const change = (next: HTMLElement | undefined) => {
    if (next === marked) return
    marked?.classList.remove('drop')
    marked = next
    marked?.classList.add('drop')
  }
  return {
    /** The lane below the pointer, if any. */
    mark(clientX: number, clientY: number) {
      const isWithin = clientX >= left && clientX < right && clientY >= top && clientY < bottom
      const y = within(clientY)
      change(isWithin ? lanes.find((lane) => y >= lane.top && y < lane.bottom)?.element : undefined)
    },
    /** Whose lane was marked last. */
    leave() {
      const userId = marked?.dataset.person
      change(undefined)
      veil.remove()
      return userId
    },
  }
}
