import { useRef } from 'preact/hooks'
import { rowsMax } from '../api/load-all.ts'
import { projectPath } from '../router/router.ts'
import { useServices } from '../services/services.ts'
import { t } from '../texts/text.ts'
import type { Option } from './combobox.tsx'
import { ChoiceLayer } from './option-search.tsx'
import { ProjectMark } from './page.tsx'

interface ProjectSwitcherProps {
  readonly id: string
  readonly button: { readonly current: HTMLButtonElement | null }
  readonly currentId: string
  /** The part of the page's address after the project, which stays the same. */
  readonly addressEnd: string
  onClose(): void
}

/** Lists the projects, which are searched by typing, and opens the same page of the chosen project. */
export function ProjectSwitcher({ id, button, currentId, addressEnd, onClose }: ProjectSwitcherProps) {
  const { api, router } = useServices()
  const layer = useRef<HTMLDivElement>(null)
  const find = async (text: string, signal: AbortSignal): Promise<readonly Option[]> => {
    const query = { search: text.trim(), sortColumn: 'name', pageSize: rowsMax } as const
    const { data } = await api.list('project', query, signal)
    return data
      .filter((project) => !project.isArchived || project.id === currentId)
      .map((project) => ({
        id: project.id,
        name: project.name,
        mark: <ProjectMark project={project} />,
        ...(project.key && { note: project.key }),
        isCurrent: project.id === currentId,
      }))
  }
  const choose = (option: Option) => {
    layer.current?.hidePopover()
    button.current?.focus()
    if (option.id !== currentId) router.go(projectPath(option.id, addressEnd))
  }
  return (
    <ChoiceLayer
      id={id}
      label={t('Switch project')}
      layer={layer}
      button={button}
      isOpen
      chosenIds={[currentId]}
      find={find}
      onChoose={choose}
      onClosed={onClose}
    />
  )
}
