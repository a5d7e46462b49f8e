import { useEffect, useRef, useState } from 'preact/hooks'
import type { ProjectStage, StageLook } from '../../data/project-stages.ts'
import { t } from '../../texts/text.ts'
import { StageMark } from '../../ui/marks.tsx'
import { centreCurrent } from '../../ui/page.tsx'

interface StageStripProps {
  readonly stages: readonly ProjectStage[]
  readonly looks: ReadonlyMap<string, StageLook>
  readonly board: { readonly current: HTMLElement | null }
  countOf(stageId: string): number
}

/** Names all stages above a board that shows one column at a time, marks the shown one, and leads to the others. */
export function StageStrip({ stages, looks, board, countOf }: StageStripProps) {
  const strip = useRef<HTMLElement>(null)
  const current = useShownColumn(board)
  useEffect(() => {
    if (strip.current) centreCurrent(strip.current)
  }, [current])
  const goTo = (index: number) =>
    board.current?.children[index]?.scrollIntoView({ block: 'nearest', inline: 'start' })
  return (
    <nav ref={strip} class="stage-strip" aria-label={t('Stages')}>
      {stages.map(({ id, name }, index) => {
        const look = looks.get(id)
        return (
          <button
            key={id}
            type="button"
            class="button quiet"
            aria-current={index === current ? 'true' : undefined}
            onClick={() => goTo(index)}
          >
            {look && <StageMark {...look} />}
            <span dir="auto">{name}</span>
            <span class="quiet-text">{countOf(id)}</span>
          </button>
        )
      })}
    </nav>
  )
}

/** Returns the index of the first column whose middle is visible. */
function useShownColumn(board: StageStripProps['board']): number {
  const [shown, setShown] = useState(0)
  useEffect(() => {
    const element = board.current
    if (element === null) return
    const update = () => {
      const { left, right } = element.getBoundingClientRect()
      const isMiddleIn = [...element.children].map((column) => {
        const box = column.getBoundingClientRect()
        const middle = (box.left + box.right) / 2
        return middle > left && middle < right
      })
      setShown(Math.max(0, isMiddleIn.indexOf(true)))
    }
    update()
    element.addEventListener('scroll', update, { passive: true })
    return () => element.removeEventListener('scroll', update)
  }, [])
  return shown
}
