import { problemOf, unreachable } from './api-problem.ts'
import type { Send } from './send.ts'
import type {
  InvitationAnswer,
  JoinedProject,
  Link,
  LinkList,
  NewLink,
  PasswordLinkAnswer,
  ShownInvitation,
} from './types.ts'

/** The addresses of links. The part after the # is sent to no server and written to no log. */
const linkPaths = { invitation: '/invitation', password: '/new-password' } as const

const addressOf = (path: string, { secret }: NewLink): string => `${location.origin}${path}#${secret}`

const make = async (send: Send, path: string, body: object): Promise<NewLink> =>
  (await send({ method: 'POST', path, body })).json()

/** Creates the address that makes its user a member of the project. */
export const inviteInto = async (send: Send, projectId: string): Promise<string> =>
  addressOf(linkPaths.invitation, await make(send, '/ext/invitations', { projectId }))

/** Sends the same link by mail. */
export async function inviteByMail(send: Send, projectId: string, mailTo: string): Promise<void> {
  await send({ method: 'POST', path: '/ext/invitations/mail', body: { projectId, mailTo } })
}

/** Unused invitations into the project, by any author. */
export async function openInvitations(send: Send, projectId: string): Promise<readonly Link[]> {
  const list: LinkList = await (await send({ path: `/ext/invitations?projectId=${projectId}` })).json()
  return list.links
}

export async function endInvitation(send: Send, id: string): Promise<void> {
  await send({ method: 'DELETE', path: '/ext/invitations', body: { id } })
}

/** Joins with an existing account; returns the project. */
export async function joinByInvitation(send: Send, secret: string): Promise<string> {
  const body: JoinedProject = await (
    await send({ method: 'POST', path: '/ext/invitations/join', body: { secret } })
  ).json()
  return body.projectId
}

/** Sends a link for a new password to the login by mail. */
export async function mailPasswordLink(send: Send, userId: string): Promise<void> {
  await send({ method: 'POST', path: '/ext/password-links/mail', body: { userId } })
}

/** Creates the address for a user who has lost the password. */
export const makePasswordLink = async (send: Send, userId: string): Promise<string> =>
  addressOf(linkPaths.password, await make(send, '/ext/password-links', { userId }))

/** Reads the inviter and the project. */
export const readInvitation = async (apiUrl: string, secret: string): Promise<ShownInvitation> =>
  (await post(`${apiUrl}/ext/invitations/read`, { secret })).json()

export async function acceptInvitation(apiUrl: string, body: InvitationAnswer): Promise<void> {
  await post(`${apiUrl}/ext/invitations/accept`, body)
}

export async function usePasswordLink(apiUrl: string, body: PasswordLinkAnswer): Promise<void> {
  await post(`${apiUrl}/ext/password-links/use`, body)
}

/** Sends without a token: the users of links are not signed in. */
async function post(address: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(address, { method: 'POST', headers, body: JSON.stringify(body) }).catch(() => {
    throw unreachable()
  })
  if (!response.ok) throw await problemOf(response)
  return response
}
