// Reads openapi.json out. Keys that are entered stay in this page's memory; nothing is sent anywhere but to this service.
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
