"use strict";
// Draws the document with Swagger UI, which lies on this server: nothing is loaded from elsewhere.
(() => {
  const place = document.getElementById("api-docs");
  if (!place || typeof SwaggerUIBundle === "undefined") return;
  SwaggerUIBundle({
    url: place.dataset.address,
    domNode: place,
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    tryItOutEnabled: false,
    validatorUrl: null,
    presets: [SwaggerUIBundle.presets.apis],
    layout: "BaseLayout",
  });
})();
