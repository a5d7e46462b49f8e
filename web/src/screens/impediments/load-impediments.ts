import type { Api, RecordOf } from '../../api/api.ts'
import { loadAll, loadByIds } from '../../api/load-all.ts'
import { t } from '../../texts/text.ts'

type Named = { readonly id: string; readonly name: string }

/** An impediment with what it stands in the way of. */
export interface ImpedimentRow {
  readonly link: RecordOf<'assignmentImpediment'>
  readonly kind: string
  readonly assignment: RecordOf<'assignment'>
  readonly project: Named
  /** Responsible for the assignment or working on it. */
  readonly isMine: boolean
}

export interface Impediments {
  /** The newest first. */
  readonly rows: readonly ImpedimentRow[]
  readonly projects: readonly Named[]
  readonly isCut: boolean
}

/** 1,000 impediments: more would not be useful to look at. */
const pagesMax = 10

export async function loadImpediments(api: Api, userId: string, signal: AbortSignal): Promise<Impediments> {
  const all = { pagesMax, signal }
  const [links, kinds, own] = await Promise.all([
    loadAll(api, 'assignmentImpediment', { sortColumn: 'createdAt', sortOrder: 'DESC' }, all),
    loadAll(api, 'impediment', {}, all),
    loadAll(api, 'userAssignment', { userId }, all),
  ])
  const idsOf = links.rows.map(({ assignmentId }) => assignmentId)
  const assignments = await loadByIds(api, 'assignment', idsOf, signal)
  const projectIds = [...assignments.values()].map(({ projectId }) => projectId)
  const projects = await loadByIds(api, 'project', projectIds, signal)
  const rows = links.rows.flatMap((link) => {
    const assignment = assignments.get(link.assignmentId)
    const project = projects.get(assignment?.projectId ?? '')
    if (assignment === undefined || project === undefined) return []
    const kind = kinds.rows.find(({ id }) => id === link.impedimentId)?.name ?? t('Impediment')
    const isMine =
      assignment.userId === userId || own.rows.some(({ assignmentId }) => assignmentId === assignment.id)
    return [{ link, kind, assignment, project, isMine }]
  })
  return {
    rows,
    projects: [...projects.values()].sort((a, b) => a.name.localeCompare(b.name)),
    isCut: links.isCut,
  }
}
