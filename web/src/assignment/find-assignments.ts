import type { Api } from '../api/api.ts'
import { loadByIds } from '../api/load-all.ts'
import { inOneLine } from '../texts/text.ts'
import type { Option } from '../ui/combobox.tsx'

/** Others are found by typing more. */
const suggestionsMax = 20

/** Assignments by a part of their name or description, each with its project, because names may be equal. */
export async function findAssignments(
  api: Api,
  search: string,
  signal: AbortSignal,
): Promise<readonly Option[]> {
  const query = { search, pageSize: suggestionsMax, sortColumn: 'name' }
  const { data } = await api.list('assignment', query, signal)
  const ids = data.map(({ projectId }) => projectId)
  const projects = await loadByIds(api, 'project', ids, signal)
  return data.map(({ id, name, projectId }) => ({
    id,
    name: inOneLine(name, projects.get(projectId)?.name),
  }))
}
