// Reads openapi.json out. Keys that are entered stay in this page's memory; nothing is sent anywhere but to this service.
// A search on the page itself leads to another operation; the reader opens the one that is named when it begins.
window.addEventListener('hashchange', () => window.location.reload());

window.addEventListener('DOMContentLoaded', () => {
  window.SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#reader',
    deepLinking: true,
    defaultModelsExpandDepth: 0,
    displayRequestDuration: true,
    docExpansion: 'list',
    persistAuthorization: false,
    validatorUrl: null,
  });
});
