/** Webhooks and their deliveries. */
import { ExtremumError } from '../../common/errors.js';
import { noQuery } from '../fields.js';
import { pageAnswer, pageBody, pageOnlyQuery } from '../pagination.js';
import type { ApiParts } from '../parts.js';
import { type AnyRoute, route } from '../route.js';
import {
  deliveryAnswer,
  issuedWebhookAnswer,
  redeliveredAnswer,
  represent,
  representDelivery,
  representIssued,
  webhookAnswer,
} from './answer.js';
import { deliveryListQuery, redeliverFailedRequest, rotateRequest, webhookChange, webhookRequest } from './request.js';

function there<T>(found: T | null, what = 'webhook'): T {
  if (found === null) throw new ExtremumError('not_found', `There is no such ${what}.`);
  return found;
}

const SINCE = { day: { summary: 'All since a time', value: { since: '2026-01-31T12:00:00Z' } } };

export function webhookRoutes({ webhooks }: Pick<ApiParts, 'webhooks'>): AnyRoute[] {
  const record = { description: 'The webhook', schema: webhookAnswer };
  const issued = { description: 'The webhook; `secret` is shown only here', schema: issuedWebhookAnswer };
  const delivery = { description: 'The delivery', schema: deliveryAnswer };

  return [
    // First, for everybody can try it in /docs; to make one takes an endpoint that exists.
    route({
      method: 'get',
      path: '/v1/webhooks',
      operationId: 'listWebhooks',
      summary: 'List webhooks, newest first',
      scope: 'read',
      query: pageOnlyQuery,
      body: null,
      answers: { 200: { description: 'A page of webhooks', schema: pageAnswer(webhookAnswer) } },
      errors: [],
      async handle({ caller, query }) {
        return { status: 200, body: pageBody(await webhooks.list(caller.account.id, query), query, represent) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/webhooks',
      operationId: 'createWebhook',
      summary: 'Register an endpoint that hears of events',
      scope: 'run',
      query: noQuery,
      body: webhookRequest,
      bodyExamples: {
        ends: {
          summary: 'Hears of the end of runs',
          value: {
            url: 'https://example.com/hooks/extremum',
            events: ['optimization.completed', 'optimization.failed'],
          },
        },
      },
      answers: { 201: { ...issued, headers: { Location: 'Its path' } } },
      errors: [409],
      async handle({ caller, body, ids }) {
        const { url, events, active, secret } = body;
        const made = await webhooks.create(caller.account.id, { url, events, active, secret }, ids);
        const headers = { Location: `/v1/webhooks/${made.webhook.id}` };
        return { status: 201, headers, body: representIssued(made) };
      },
    }),
    // Before the routes of one webhook, whose identifier `deliveries` would be.
    route({
      method: 'get',
      path: '/v1/webhooks/deliveries',
      operationId: 'listAllDeliveries',
      summary: 'What was sent to all webhooks in the last 30 days, newest first, with every attempt',
      scope: 'read',
      query: deliveryListQuery,
      body: null,
      answers: { 200: { description: 'A page of deliveries', schema: pageAnswer(deliveryAnswer) } },
      errors: [],
      async handle({ caller, query }) {
        const page = await webhooks.allDeliveries(caller.account.id, query.state, query);
        return { status: 200, body: pageBody(page, query, representDelivery) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/webhooks/deliveries/redeliver-failed',
      operationId: 'redeliverAllFailed',
      summary: 'Send again whatever has failed since a time, to all webhooks that are switched on',
      scope: 'run',
      query: noQuery,
      body: redeliverFailedRequest,
      bodyExamples: SINCE,
      answers: { 200: { description: 'How many are sent again', schema: redeliveredAnswer } },
      errors: [],
      async handle({ caller, body }) {
        const redelivered = await webhooks.redeliverAllFailed(caller.account.id, Date.parse(body.since));
        return { status: 200, body: { redelivered } };
      },
    }),
    route({
      method: 'get',
      path: '/v1/webhooks/{id}',
      operationId: 'getWebhook',
      summary: 'One webhook',
      scope: 'read',
      query: noQuery,
      body: null,
      answers: { 200: record },
      errors: [404],
      async handle({ caller, params }) {
        return { status: 200, body: represent(there(await webhooks.find(caller.account.id, params['id'] ?? ''))) };
      },
    }),
    route({
      method: 'patch',
      path: '/v1/webhooks/{id}',
      operationId: 'updateWebhook',
      summary: 'Change a webhook, switch it off or on again',
      scope: 'run',
      query: noQuery,
      body: webhookChange,
      bodyExamples: { everything: { summary: 'Hears of everything', value: { events: ['*'] } } },
      answers: { 200: record },
      errors: [404],
      async handle({ caller, params, body: { url, events, active } }) {
        const change = {
          ...(url === undefined ? {} : { url }),
          ...(events === undefined ? {} : { events }),
          ...(active === undefined ? {} : { active }),
        };
        const changed = await webhooks.update(caller.account.id, params['id'] ?? '', change);
        return { status: 200, body: represent(there(changed)) };
      },
    }),
    route({
      method: 'delete',
      path: '/v1/webhooks/{id}',
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook; what waits for it is cancelled',
      scope: 'run',
      query: noQuery,
      body: null,
      answers: { 204: { description: 'Deleted' } },
      errors: [404],
      async handle({ caller, params }) {
        there((await webhooks.remove(caller.account.id, params['id'] ?? '')) || null);
        return { status: 204 };
      },
    }),
    route({
      method: 'post',
      path: '/v1/webhooks/{id}/test',
      operationId: 'testWebhook',
      summary: 'Send a webhook an event of type `webhook.test`, whatever it has subscribed to',
      scope: 'run',
      query: noQuery,
      body: null,
      answers: { 201: { ...delivery, description: 'The delivery, which is made now' } },
      errors: [404, 409],
      async handle({ caller, params, ids }) {
        const made = await webhooks.test(caller.account.id, params['id'] ?? '', ids);
        return { status: 201, body: representDelivery(there(made)) };
      },
    }),
    route({
      method: 'get',
      path: '/v1/webhooks/{id}/deliveries',
      operationId: 'listDeliveries',
      summary: 'What was sent to a webhook in the last 30 days, newest first, with every attempt',
      scope: 'read',
      query: deliveryListQuery,
      body: null,
      answers: { 200: { description: 'A page of deliveries', schema: pageAnswer(deliveryAnswer) } },
      errors: [404],
      async handle({ caller, params, query }) {
        const page = await webhooks.deliveries(caller.account.id, params['id'] ?? '', query.state, query);
        return { status: 200, body: pageBody(there(page), query, representDelivery) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/webhooks/deliveries/{id}/redeliver',
      operationId: 'redeliver',
      summary: 'Send a delivery again now, whatever became of it, with all of its retries',
      scope: 'run',
      query: noQuery,
      body: null,
      answers: { 200: delivery },
      errors: [404, 409],
      async handle({ caller, params }) {
        const again = await webhooks.redeliver(caller.account.id, params['id'] ?? '');
        return { status: 200, body: representDelivery(there(again, 'delivery')) };
      },
    }),
    route({
      method: 'post',
      path: '/v1/webhooks/{id}/redeliver-failed',
      operationId: 'redeliverFailed',
      summary: 'Send again whatever has failed since a time',
      scope: 'run',
      query: noQuery,
      body: redeliverFailedRequest,
      bodyExamples: SINCE,
      answers: { 200: { description: 'How many are sent again', schema: redeliveredAnswer } },
      errors: [404, 409],
      async handle({ caller, params, body }) {
        const since = Date.parse(body.since);
        const count = await webhooks.redeliverFailed(caller.account.id, params['id'] ?? '', since);
        return { status: 200, body: { redelivered: there(count) } };
      },
    }),
    route({
      method: 'post',
      path: '/v1/webhooks/{id}/rotate-secret',
      operationId: 'rotateWebhookSecret',
      summary: 'Give a webhook a new secret; the old one signs, too, for a while',
      scope: 'run',
      query: noQuery,
      body: rotateRequest,
      bodyExamples: { hour: { summary: 'Both secrets sign for an hour', value: { overlap_seconds: 3600 } } },
      answers: { 200: issued },
      errors: [404],
      async handle({ caller, params, body, ids }) {
        const rotated = await webhooks.rotate(caller.account.id, params['id'] ?? '', body.overlap_seconds, ids);
        return { status: 200, body: representIssued(there(rotated)) };
      },
    }),
  ];
}
