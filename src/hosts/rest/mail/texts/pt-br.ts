import type { MailTexts } from './mail-texts.ts'

/** Words as in the web client: `web/src/texts/pt-br.ts` has the glossary. */
export const ptBr: MailTexts = {
  password: ({ place, link, hours, isByAdministrator }) => ({
    subject: 'Sua nova senha',
    text: `${isByAdministrator ? 'Um administrador pediu' : 'Alguém pediu'} uma nova senha para a sua conta em ${place}.

Escolha-a aqui em até ${hours} hora; o link funciona uma vez:

${link}

Se você não quer uma nova senha, não faça nada: a atual continua valendo.
`,
  }),
  factors: ({ place }) => ({
    subject: 'Sua forma de entrar mudou',
    text: `A forma de entrar na sua conta em ${place} mudou: uma chave de acesso, um aplicativo de códigos, códigos de recuperação ou uma conta
externa foi incluída ou retirada. Depois de uma mudança de chaves, aplicativos ou códigos, seus outros acessos foram encerrados.

Se foi você, não há nada a fazer. Se não foi, escolha logo uma nova senha, veja o que está em "Segundo fator" e em
"Contas em outros serviços" na página "Minha conta", e avise um administrador.
`,
  }),
  invitation: ({ place, link, days, inviter, into }) => ({
    subject: 'Você recebeu um convite',
    text: `${inviter} convida você ${into ? `para o projeto ${into.project}, de ${into.organization},` : 'a participar'} em ${place}.

Crie sua conta aqui em até ${days} dias, ou entre com a que você já tem; o link funciona uma vez:

${link}

Se você não sabe do que se trata, não faça nada.
`,
  }),
}
