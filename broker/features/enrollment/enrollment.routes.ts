import type { Handlers } from '../../http/route.ts';
import type { Enrollment } from './enrollment.service.ts';

export const enrollmentRoutes = (enrollment: Enrollment): Handlers => ({
  enroll: ({ body, headers, sourceIp, reply }) => {
    // The request guard admitted only a Host of this broker; a trusted proxy may say that the device came
    // over https.
    const scheme = reply.request.protocol === 'https' ? 'https' : 'http';
    const base = `${scheme}://${headers.host}`;
    return enrollment.enroll(body, { base, sourceIp, userAgent: headers['user-agent'] });
  },
  pollEnrollment: ({ body }) => enrollment.poll(body.deviceCode),
  pendingEnrollments: () => enrollment.pending(),
  enrollmentHistory: () => enrollment.history(),
  approveEnrollment: ({ actor, body }) => enrollment.approve(actor.name, body),
  rejectEnrollment: async ({ actor, body }) => {
    await enrollment.reject(actor.name, body);
    return undefined;
  },
});
